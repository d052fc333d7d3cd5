/** The rows of docs/rules.txt: a line per rule of the specification, with the tests that hold it. */
import { createHash } from 'node:crypto';
import { lexer, type Token } from 'marked';
import { parseAst } from 'rolldown/parseAst';

/** One sentence, row or line of the specification. */
export interface Rule {
  /** The title right above it. */
  readonly section: string;
  /** Its own words on one line: links are their text, the cells of a row are joined by ` · `. */
  readonly text: string;
}

/** What a row begins with: eight hexadecimal digits that are of this sentence in this section alone. */
export function hashOf({ section, text }: Rule): string {
  return createHash('sha256').update(`${section}\n${text}`).digest('hex').slice(0, 8);
}

/** What holds each rule by its hash, as docs/rules.txt says it. */
function heldByOf(file: string): ReadonlyMap<string, string> {
  return new Map([...file.matchAll(/^([0-9a-f]{8}) (.+)$/gm)].map(([, hash = '', heldBy = '']) => [hash, heldBy]));
}

/** docs/rules.txt as it has to be: its head, then each rule in the order of the specification, held by what its row says now. */
export function rulesFileOf(rules: readonly Rule[], file: string): string {
  const heldBy = heldByOf(file);
  const rows = [...Map.groupBy(rules, ({ section }) => section)].flatMap(([section, ofSection]) => [
    `\n## ${section}`,
    ...ofSection.map((rule) => `${hashOf(rule)} ${heldBy.get(hashOf(rule)) ?? 'none'}`),
  ]);
  return [file.split('\n\n')[0], ...rows, ''].join('\n');
}

/**
 * Rules without a row, and rows that name a test that does not exist, or nothing that could hold a rule.
 *
 * @param titlesOf the titles of the tests of a file, as `testTitlesIn` gives them; undefined where there is no such file
 */
export function findUnheld(
  rules: readonly Rule[],
  file: string,
  titlesOf: (path: string) => readonly string[] | undefined,
): readonly string[] {
  const heldBy = heldByOf(file);
  return rules.flatMap((rule) => {
    const row = heldBy.get(hashOf(rule)) ?? 'none';
    if (row === 'explains' || /^not by a test: .*\w{3}/.test(row)) return [];
    const problems = row.split(' | ').flatMap((name) => problemOf(name, titlesOf) ?? []);
    return problems.map((problem) => `${hashOf(rule)} under "${rule.section}": ${problem}\n${rule.text}`);
  });
}

function problemOf(name: string, titlesOf: Parameters<typeof findUnheld>[2]): string | undefined {
  if (name === 'none') return 'no test is named';
  const [, path, title = ''] = /^(\S+) › (.+)$/.exec(name) ?? [];
  if (path === undefined) return `this is no test: ${name}`;
  const titles = titlesOf(path);
  if (titles === undefined) return `there is no ${path}`;
  return titles.includes(title) ? undefined : `${path} has no test ${title}`;
}

const GENERATED = /^<!-- .+: made by \S+ -->$/;

/**
 * Splits the specification into what can be held by a test, one by one: a sentence of a paragraph or a list item, a row of a
 * table, a line of a block of code. The same text always gives the same list, in the order of the text. A table that a test makes of
 * declarations, as the comment above it says, is held by that test as a whole.
 */
export function rulesOf(markdown: string): readonly Rule[] {
  let section = '';
  return lexer(markdown).flatMap((token, index, tokens) => {
    if (token.type === 'heading') section = token.text;
    const isGenerated = GENERATED.test(tokens[index - 1]?.raw.trim() ?? '');
    return isGenerated ? [] : textsOf(token).map((text) => ({ section, text }));
  });
}

function textsOf(token: Token): readonly string[] {
  switch (token.type) {
    case 'table':
      return token.rows.map((row: readonly { readonly text: string }[]) =>
        row.flatMap(({ text }) => plainText(text) || []).join(' · '),
      );
    case 'code':
      return token.text.split('\n').flatMap((line: string) => plainText(line) || []);
    case 'list':
      return token.items.flatMap(({ tokens }: { readonly tokens: readonly Token[] }) => tokens.flatMap(textsOf));
    case 'paragraph':
    case 'text':
      return sentencesOf(plainText(token.text));
    default:
      return [];
  }
}

function plainText(text: string): string {
  return text
    .replaceAll(/\[([^\]]*)\]\([^()\s]+\)/g, '$1')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** A sentence ends with a stop before a space and what a sentence begins with; what stands between backticks has no end. */
function sentencesOf(text: string): readonly string[] {
  const shown = text.replaceAll(/`[^`]*`/g, (code) => `\`${'x'.repeat(code.length - 2)}\``);
  const ends = [...shown.matchAll(/(?<!e\.g|i\.e)[.!?][)"*]* (?=[A-Z`"(*\d])/g)].map(
    (end) => end.index + end[0].length,
  );
  const bounds = [0, ...ends, text.length];
  return bounds.slice(1).map((end, index) => text.slice(bounds[index], end).trim());
}

/**
 * The titles of the tests in a source text, each behind those of its `describe`s with ` › ` between two, as they stand there: `$name`,
 * `%s` and `${…}` are not filled in. What is skipped or still to do holds nothing and is left out; so is a `test(…)` inside a string
 * or a comment.
 */
export function testTitlesIn(source: string): readonly string[] {
  const titlesBelow = (value: unknown, groups: readonly string[]): readonly string[] => {
    if (!isNode(value)) return [];
    const root = value['type'] === 'CallExpression' ? rootOf(value['callee']) : undefined;
    const title = root && titleOf(value, source);
    const path = title === undefined ? groups : [...groups, title];
    const isTest = title !== undefined && root !== 'describe';
    const inside = Object.values(value).flatMap((child) => titlesBelow(child, isTest ? groups : path));
    return isTest ? [path.join(' › '), ...inside] : inside;
  };
  return titlesBelow(parseAst(source, { lang: 'ts' }), []);
}

type Node = Readonly<Record<string, unknown>>;

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null;
}

/** Which of vitest's functions is called, also through what is made of it, such as `test.each(rows)`; undefined for what never runs. */
function rootOf(callee: unknown): 'test' | 'it' | 'describe' | undefined {
  if (!isNode(callee)) return undefined;
  const { type, name, callee: called, tag, object, property } = callee;
  if (type === 'Identifier') return (['test', 'it', 'describe'] as const).find((known) => known === name);
  const isIdle = isNode(property) && ['skip', 'todo'].includes(String(property['name']));
  return isIdle ? undefined : rootOf(called ?? tag ?? object);
}

/** A string as it is meant, a template as it is written; undefined for what only running tells. */
function titleOf({ arguments: given }: Node, source: string): string | undefined {
  const [first] = Array.isArray(given) ? given : [];
  if (!isNode(first)) return undefined;
  const { type, value, start, end } = first;
  if (type === 'Literal') return typeof value === 'string' ? value : undefined;
  return type === 'TemplateLiteral' ? source.slice(Number(start) + 1, Number(end) - 1) : undefined;
}
