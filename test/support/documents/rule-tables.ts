/**
 * The tables of docs/rules: a file per chapter of the specification, a table per section, a row per rule. `held by` is one of
 *
 * - tests, `[path](link) › titles` each, `<br>` between two
 * - `explains`: it defines a word, gives a reason or points elsewhere, and demands nothing
 * - `not by a test: why`
 * - `none`: a rule whose test is still to be written
 */
import type { Rule } from './rules.ts';
import type { TextFile } from './text-files.ts';

/** The folder of the tables, seen from the root; links in it lead up by as many steps. */
export const RULES_FOLDER = 'docs/rules/';
const UP = '../../';

/** One row of a table. */
export interface RuleRow extends Omit<Rule, 'chapter'> {
  /** Path of the file. */
  readonly file: string;
  /** The second cell, as it stands there. */
  readonly heldBy: string;
}

/** A test that a row names. */
export interface NamedTest {
  readonly path: string;
  /** The titles of its groups and its own, as `testTitlesIn` gives them. */
  readonly title: string;
}

/** What a row's second cell says. */
export type Holding =
  | { readonly kind: 'tests'; readonly tests: readonly NamedTest[] }
  | { readonly kind: 'explains' | 'none' | 'untested' | 'unreadable' };

/** The rows of all tables, in order. */
export function ruleRowsOf(files: readonly TextFile[]): readonly RuleRow[] {
  return files.flatMap(({ path, text }) => {
    let section = '';
    return text.split('\n').flatMap((line): readonly RuleRow[] => {
      if (/^#+ /.test(line)) section = line.replace(/^#+ +/, '');
      const cells = cellsOf(line);
      if (cells === undefined || cells[0] === 'rule' || /^-+$/.test(cells[0])) return [];
      return [{ file: path, section, text: cells[0], heldBy: cells[1] }];
    });
  });
}

function cellsOf(line: string): readonly [string, string] | undefined {
  if (!line.startsWith('|')) return undefined;
  const [, rule = '', ...rest] = line.split(/(?<!\\)\|/);
  return [fromCell(rule), fromCell(rest.slice(0, -1).join('|'))];
}

/** The line of a table that says so; without `heldBy` that no test holds the rule. */
export function lineOf({ text }: Pick<Rule, 'text'>, heldBy = 'none'): string {
  return `| ${toCell(text)} | ${toCell(heldBy)} |`;
}

function toCell(text: string): string {
  return text.replaceAll('|', '\\|');
}

function fromCell(cell: string): string {
  return cell.trim().replaceAll('\\|', '|');
}

export function holdingOf({ heldBy }: Pick<RuleRow, 'heldBy'>): Holding {
  if (heldBy === 'explains' || heldBy === 'none') return { kind: heldBy };
  if (/^not by a test: .*\w{3}/.test(heldBy)) return { kind: 'untested' };
  const tests = heldBy.split('<br>').map(testOf);
  const named = tests.filter((test) => test !== undefined);
  return named.length === tests.length ? { kind: 'tests', tests: named } : { kind: 'unreadable' };
}

function testOf(text: string): NamedTest | undefined {
  const [, path = '', target, title = ''] = /^\[([^\]]+)\]\(([^()\s]+)\) › (.+)$/.exec(text.trim()) ?? [];
  return target === `${UP}${path}` ? { path, title } : undefined;
}

/** The file that a chapter's tables stand in. */
export function fileOfChapter(chapter: string): string {
  return `${RULES_FOLDER}${chapter.toLowerCase().replaceAll(' ', '-')}.md`;
}
