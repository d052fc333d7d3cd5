import { fileOfChapter, holdingOf, lineOf, RULES_FOLDER, type RuleRow, ruleRowsOf } from './rule-tables.ts';
import { type Rule, rulesOf } from './rules.ts';
import type { TextFile } from './text-files.ts';

export interface RuleBook {
  readonly specification: string;
  /** The files of docs/rules, the README among them. */
  readonly files: readonly TextFile[];
  /** The titles of the tests of a file, as `testTitlesIn` gives them; undefined where there is no such file. */
  readonly titlesOf: (path: string) => readonly string[] | undefined;
}

/** What is wrong with the tables of docs/rules, each with the line to write or to take out. */
export function findRuleFaults(book: RuleBook): readonly string[] {
  const rules = rulesOf(book.specification);
  const rows = ruleRowsOf(book.files.filter(({ path }) => path !== README));
  const faults = [...findMissing(rules, rows), ...findSuperfluous(rules, rows)];
  return [
    ...(faults.length > 0 ? faults : findDisorder(rules, rows)),
    ...rows.flatMap((row) => findUnheld(row, book)),
    ...findWrongCounts(rows, book),
  ];
}

const README = `${RULES_FOLDER}README.md`;

function nameOf(file: string, { section, text }: Pick<Rule, 'section' | 'text'>): string {
  return [file, section, text].join('\n');
}

function findMissing(rules: readonly Rule[], rows: readonly RuleRow[]): readonly string[] {
  const listed = new Set(rows.map((row) => nameOf(row.file, row)));
  return rules
    .filter((rule) => !listed.has(nameOf(fileOfChapter(rule.chapter), rule)))
    .map((rule) => `${fileOfChapter(rule.chapter)}: under "${rule.section}" add the line\n${lineOf(rule)}`);
}

function findSuperfluous(rules: readonly Rule[], rows: readonly RuleRow[]): readonly string[] {
  const told = new Set(rules.map((rule) => nameOf(fileOfChapter(rule.chapter), rule)));
  const seen = new Set<string>();
  return rows.flatMap((row) => {
    const name = nameOf(row.file, row);
    const why = seen.has(name) ? 'stands twice' : 'is not in the specification';
    const isWrong = seen.has(name) || !told.has(name);
    seen.add(name);
    return isWrong
      ? [`${row.file}: under "${row.section}" take out the line, which ${why}\n${lineOf(row, row.heldBy)}`]
      : [];
  });
}

/** Rows that are all there, but not in the order of the specification. */
function findDisorder(rules: readonly Rule[], rows: readonly RuleRow[]): readonly string[] {
  const files = [...new Set(rules.map(({ chapter }) => fileOfChapter(chapter)))];
  return files.flatMap((file) => {
    const told = rules.filter(({ chapter }) => fileOfChapter(chapter) === file);
    const listed = rows.filter((row) => row.file === file);
    const at = told.findIndex((rule, index) => nameOf(file, rule) !== nameOf(file, listed[index] ?? rule));
    const next = told[at];
    return next === undefined
      ? []
      : [`${file}: in the order of the specification the next line is\n${lineOf(next, '…')}`];
  });
}

/** A row that says nothing about what holds it, or names a test that is not there. */
function findUnheld(row: RuleRow, { titlesOf }: RuleBook): readonly string[] {
  const holding = holdingOf(row);
  const place = `${row.file}: under "${row.section}"`;
  if (holding.kind === 'unreadable')
    return [`${place} this names no test, and says nothing else\n${lineOf(row, row.heldBy)}`];
  if (holding.kind !== 'tests') return [];
  return holding.tests.flatMap(({ path, title }) => {
    const titles = titlesOf(path);
    if (titles === undefined) return [`${place} there is no ${path}\n${lineOf(row, row.heldBy)}`];
    return titles.includes(title) ? [] : [`${place} ${path} has no test\n${title}`];
  });
}

/** How many rows of a file are of each kind. */
function countsOf(rows: readonly RuleRow[]): readonly number[] {
  const kinds = rows.map((row) => holdingOf(row).kind);
  const count = (kind: (typeof kinds)[number]) => kinds.filter((each) => each === kind).length;
  return [count('tests'), count('untested'), count('none'), count('explains'), rows.length];
}

/** The lines of the README's table, a chapter each, and their sum. */
export function countLines(rows: readonly RuleRow[], specification: string): readonly string[] {
  const chapters = [...new Set(rulesOf(specification).map(({ chapter }) => chapter))];
  const lines = chapters.map((chapter) => {
    const file = fileOfChapter(chapter);
    const counts = countsOf(rows.filter((row) => row.file === file));
    return `| [${chapter}](${file.slice(RULES_FOLDER.length)}) | ${counts.join(' | ')} |`;
  });
  return [...lines, `| together | ${countsOf(rows).join(' | ')} |`];
}

function findWrongCounts(rows: readonly RuleRow[], { files, specification }: RuleBook): readonly string[] {
  const lines = files.find(({ path }) => path === README)?.text.split('\n') ?? [];
  return countLines(rows, specification)
    .filter((line) => !lines.includes(line))
    .map((line) => `${README}: the line of the counts is\n${line}`);
}
