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

const INTRODUCTION =
  'What holds each sentence of this chapter of [specification.md](../specification.md); see [README.md](README.md).';

/** The files of the chapters as they have to be: each rule of the specification in its order, held by what their rows say now. */
export function ruleFilesOf({ specification, files }: Omit<RuleBook, 'titlesOf'>): readonly TextFile[] {
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
      ...ofSection.map((rule) => lineOf(rule, heldBy(path, rule))),
      '',
    ]);
    return { path, text: [`# ${chapter}`, '', INTRODUCTION, '', ...tables.flat()].join('\n') };
  });
}

/** Rows that name a test that is not there, or nothing that could hold a rule. */
export function findUnheld({ files, titlesOf }: Omit<RuleBook, 'specification'>): readonly string[] {
  return ruleRowsOf(files).flatMap((row) => {
    const holding = holdingOf(row);
    const place = `${row.file}: under "${row.section}"`;
    if (holding.kind === 'none') return [`${place} no test is named\n${lineOf(row, row.heldBy)}`];
    if (holding.kind === 'unreadable') {
      return [`${place} this names no test, and says nothing else\n${lineOf(row, row.heldBy)}`];
    }
    if (holding.kind !== 'tests') return [];
    return holding.tests.flatMap(({ path, title }) => {
      const titles = titlesOf(path);
      if (titles === undefined) return [`${place} there is no ${path}\n${lineOf(row, row.heldBy)}`];
      return titles.includes(title) ? [] : [`${place} ${path} has no test\n${title}`];
    });
  });
}

/** The README's table of how many rows of a chapter are of each kind, and their sum. */
export function countsTable(files: readonly TextFile[]): readonly string[] {
  const rows = ruleRowsOf(files);
  const lines = [...Map.groupBy(rows, ({ file }) => file)].map(([file, ofFile]) => {
    const chapter = files
      .find(({ path }) => path === file)
      ?.text.split('\n')[0]
      ?.replace(/^# /, '');
    return `| [${chapter}](${file.slice(RULES_FOLDER.length)}) | ${countsOf(ofFile).join(' | ')} |`;
  });
  return [
    '| chapter | held by tests | not by a test | none | explain | sentences |',
    '| --- | --- | --- | --- | --- | --- |',
    ...lines,
    `| together | ${countsOf(rows).join(' | ')} |`,
  ];
}

function countsOf(rows: readonly RuleRow[]): readonly number[] {
  const kinds = rows.map((row) => holdingOf(row).kind);
  const count = (kind: (typeof kinds)[number]) => kinds.filter((each) => each === kind).length;
  return [count('tests'), count('untested'), count('none'), count('explains'), rows.length];
}
