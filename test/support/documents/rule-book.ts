/**
 * The tables of docs/rules: a file per chapter of the specification, a table per section, a row per rule. `held by` is one of
 *
 * - tests, `[path](link) › titles` each, `<br>` between two
 * - `explains`: it defines a word, gives a reason or points elsewhere, and demands nothing
 * - `not by a test: why`
 * - `none`: a rule whose test is still to be written
 */
import { lexer, type Token } from 'marked';
import { parseAst } from 'rolldown/parseAst';
import type { TextFile } from './text-files.ts';

/** The folder of the tables, from the root; links in it lead up by as many steps. */
export const RULES_FOLDER = 'docs/rules/';
const UP = '../../';

const INTRODUCTION =
  'What holds each sentence of this chapter of [specification.md](../specification.md); see [README.md](README.md).';

export function fileOfChapter(chapter: string): string {
  return `${RULES_FOLDER}${chapter.toLowerCase().replaceAll(' ', '-')}.md`;
}

/** The line of a table that says what holds a rule; by default that no test does. */
export function lineOf(rule: string, heldBy = 'none'): string {
  return `| ${[rule, heldBy].map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

/** The files of the chapters as they have to be: each rule of the specification in its order, held by what their rows say now. */
export function ruleFilesOf(specification: string, files: readonly TextFile[]): readonly TextFile[] {
  const rows = ruleRowsOf(files);
  const heldBy = (file: string, rule: Rule) => {
    const same = rows.filter((row) => row.file === file && row.text === rule.text);
    return (same.find(({ section }) => section === rule.section) ?? same[0])?.heldBy;
  };
  return [...Map.groupBy(rulesOf(specification), ({ chapter }) => chapter)].map(([chapter, rules]) => {
    const path = fileOfChapter(chapter);
    const tables = [...Map.groupBy(rules, ({ section }) => section)].map(([section, ofSection]) => [
      ...(section === chapter ? [] : [`## ${section}`, '']),
      '| rule | held by |',
      '| --- | --- |',
      ...ofSection.map((rule) => lineOf(rule.text, heldBy(path, rule))),
      '',
    ]);
    return { path, text: [`# ${chapter}`, '', INTRODUCTION, '', ...tables.flat()].join('\n') };
  });
}

interface RuleRow extends Omit<Rule, 'chapter'> {
  readonly file: string;
  /** The second cell, as it stands there. */
  readonly heldBy: string;
}

function ruleRowsOf(files: readonly TextFile[]): readonly RuleRow[] {
  return files.flatMap(({ path, text }) => {
    let section = '';
    return text.split('\n').flatMap((line): readonly RuleRow[] => {
      if (/^#+ /.test(line)) section = line.replace(/^#+ +/, '');
      const [rule = '', ...rest] = line.split(/(?<!\\)\|/).slice(1, -1);
      const [name = '', heldBy = ''] = [rule, rest.join('|')].map((cell) => cell.trim().replaceAll('\\|', '|'));
      const isRow = line.startsWith('|') && !/^(rule|-+)$/.test(name);
      return isRow ? [{ file: path, section, text: name, heldBy }] : [];
    });
  });
}

function kindOf({ heldBy }: RuleRow): 'explains' | 'none' | 'untested' | 'tests' {
  if (heldBy === 'explains' || heldBy === 'none') return heldBy;
  return /^not by a test: .*\w{3}/.test(heldBy) ? 'untested' : 'tests';
}

/**
 * Rows that name a test that is not there, or nothing that could hold a rule.
 *
 * @param titlesOf the titles of the tests of a file, as `testTitlesIn` gives them; undefined where there is no such file
 */
export function findUnheld(
  files: readonly TextFile[],
  titlesOf: (path: string) => readonly string[] | undefined,
): readonly string[] {
  return ruleRowsOf(files).flatMap((row) => {
    const place = `${row.file}: under "${row.section}"`;
    const line = lineOf(row.text, row.heldBy);
    if (kindOf(row) === 'none') return [`${place} no test is named\n${line}`];
    return (kindOf(row) === 'tests' ? row.heldBy.split('<br>') : []).flatMap((text) => {
      const [, path = '', target, title = ''] = /^\[([^\]]+)\]\(([^()\s]+)\) › (.+)$/.exec(text.trim()) ?? [];
      if (target !== UP + path) return [`${place} this names no test, and says nothing else\n${line}`];
      const titles = titlesOf(path);
      if (titles === undefined) return [`${place} there is no ${path}\n${line}`];
      return titles.includes(title) ? [] : [`${place} ${path} has no test\n${title}`];
    });
  });
}

/** The README's table of how many rows of a chapter are of each kind, and their sum. */
export function countsTable(files: readonly TextFile[]): readonly string[] {
  const lineFor = (name: string, of: readonly TextFile[]) => {
    const kinds = ruleRowsOf(of).map(kindOf);
    const counts = (['tests', 'untested', 'none', 'explains'] as const).map(
      (kind) => kinds.filter((each) => each === kind).length,
    );
    return `| ${[name, ...counts, kinds.length].join(' | ')} |`;
  };
  return [
    '| chapter | held by tests | not by a test | none | explain | sentences |',
    '| --- | --- | --- | --- | --- | --- |',
    ...files.map((file) => {
      const chapter = file.text.slice('# '.length, file.text.indexOf('\n'));
      return lineFor(`[${chapter}](${file.path.slice(RULES_FOLDER.length)})`, [file]);
    }),
    lineFor('together', files),
  ];
}

/** One sentence, row or line of the specification. */
export interface Rule {
  /** The title of the chapter (level 1 or 2) that it stands in. */
  readonly chapter: string;
  /** The title right above it. */
  readonly section: string;
  /** Its own words on one line: links are their text, the cells of a row are joined by ` · `. */
  readonly text: string;
}

const GENERATED = /^<!-- .+: made by \S+ -->$/;

/**
 * Splits the specification into what can be held by a test, one by one: a sentence of a paragraph or a list item, a row of a
 * table, a line of a block of code. The same text always gives the same list, in the order of the text. A table that a test makes of
 * declarations, as the comment above it says, is held by that test as a whole.
 */
export function rulesOf(markdown: string): readonly Rule[] {
  let [chapter, section] = ['', ''];
  return lexer(markdown).flatMap((token, index, tokens) => {
    if (token.type === 'heading') {
      section = token.text;
      if (token.depth <= 2) chapter = section;
    }
    const isGenerated = GENERATED.test(tokens[index - 1]?.raw.trim() ?? '');
    return isGenerated ? [] : textsOf(token).map((text) => ({ chapter, section, text }));
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
