import type { Dataset, DatasetName } from '../../../schemas/datasets.ts';
import type { Database } from '../../../storage/duckdb/database.ts';
import { columnList } from '../../../storage/duckdb/record-sql.ts';
import { nullable, number, oneOf, text } from '../../../storage/duckdb/row-shape.ts';
import type { CapturedDataset } from '../capture/capture.ts';
import { table } from '../tables.ts';

/**
 * `bad` rows are quarantined and count towards rejection; `orphan`: the record's parent was removed; `suspect`: a price
 * held back; `repeat`: an identical row.
 */
const ISSUE_KINDS = ['bad', 'orphan', 'suspect', 'repeat'] as const;
export type IssueKind = (typeof ISSUE_KINDS)[number];

/** A line of `issues.jsonl`. */
export interface Issue {
  readonly dataset: DatasetName;
  readonly kind: IssueKind;
  readonly file: string;
  /** 1-based; null where the format has no lines. */
  readonly line: number | null;
  /** 1-based, without the header. */
  readonly row: number;
  readonly field: string;
  readonly value: string | null;
  readonly reason: string;
}

/** Problems listed per dataset; the report counts all. */
export const ISSUES_MAX = 10_000;

/** Characters of a value in a problem. */
const VALUE_LENGTH_MAX = 200;

export async function createIssues(database: Database): Promise<void> {
  await database.run(
    'CREATE TABLE issues (dataset VARCHAR, kind VARCHAR, row BIGINT, field VARCHAR, value VARCHAR, reason VARCHAR)',
  );
}

/** SELECT list for an insert into `issues`; every argument is SQL. */
export function issueSql(issue: {
  readonly dataset: DatasetName;
  readonly kind: IssueKind;
  readonly rowid: string;
  readonly field: string;
  readonly value: string;
  readonly reason: string;
}): string {
  return (
    `'${issue.dataset}', '${issue.kind}', ${issue.rowid} + 1, ${issue.field}, ` +
    `left(CAST(${issue.value} AS VARCHAR), ${VALUE_LENGTH_MAX}), ${issue.reason}`
  );
}

interface RowsToTake {
  /** SQL over a row `c` of `captured_<dataset>`, like `value`. */
  readonly condition: string;
  readonly kind: IssueKind;
  readonly field: string;
  readonly value: string;
  readonly reason: string;
}

/**
 * Removes rows from `captured_<dataset>` and records why; keys of bad ones are set aside, so that their records are
 * carried.
 */
export async function takeRowsOut(database: Database, { name, key }: Dataset, rows: RowsToTake): Promise<number> {
  const { condition, kind, field, value, reason } = rows;
  const from = `FROM ${table('captured', name)} c WHERE ${condition}`;
  const issue = issueSql({ dataset: name, kind, rowid: 'c.rowid', field: `'${field}'`, value, reason: `'${reason}'` });
  const taken = await database.run(`INSERT INTO issues SELECT ${issue} ${from}`);
  if (taken === 0) return 0;
  if (kind === 'bad') await database.run(`INSERT INTO ${table('aside', name)} SELECT ${columnList(key, 'c')} ${from}`);
  await database.run(`DELETE ${from}`);
  return taken;
}

/** A row of `issues`, without its dataset. */
const ISSUE_ROW = { kind: oneOf(ISSUE_KINDS), row: number, field: text, value: nullable(text), reason: text };

/** In dataset and file order, with line numbers. */
export async function listIssues(database: Database, captured: readonly CapturedDataset[]): Promise<readonly Issue[]> {
  const found: Issue[] = [];
  for (const dataset of captured) {
    const rows = await database.rows(
      ISSUE_ROW,
      `SELECT kind, row::DOUBLE AS row, field, value, reason FROM issues WHERE dataset = $1
       ORDER BY row, field, kind LIMIT ${ISSUES_MAX}`,
      [dataset.dataset],
    );
    const lineFromRow = lineFinder(dataset);
    for (const { kind, row, field, value, reason } of rows) {
      found.push({
        dataset: dataset.dataset,
        kind,
        file: dataset.origin,
        line: lineFromRow(row),
        row,
        field,
        value,
        reason,
      });
    }
  }
  return found;
}

/** JSON Lines skip empty lines; CSV has a header. */
export function lineFinder({ file, rows }: Pick<CapturedDataset, 'file' | 'rows'>): (row: number) => number | null {
  if (file?.format === 'jsonl') {
    return (row) => file.scanned.blankLines.reduce((line, blank) => (blank <= line ? line + 1 : line), row);
  }
  const linesOfRows = file === undefined ? 0 : file.scanned.lines - file.scanned.blankLines.length - 1;
  if (file?.format === 'csv' && linesOfRows === rows && file.scanned.blankLines.length === 0) return (row) => row + 1;
  return () => null;
}

/** Suggests SQL for numbers that are formatted for people; empty where none is known. */
function hintOn({ field, reason, value }: Pick<Issue, 'field' | 'reason' | 'value'>): string {
  if (value === null || !reason.startsWith('is not a') || !reason.includes('number')) return '';
  const sql = (expression: string) => `; source.sql can fix it: ${expression} AS ${field}`;
  if (/\d,\d{3}(?:\D|$)/.test(value)) return sql(`replace(${field}, ',', '')`);
  if (/^\s*-?\d+(?:\.\d{3})*,\d+\s*$/.test(value)) return sql(`replace(replace(${field}, '.', ''), ',', '.')`);
  if (/\d/.test(value) && /[$€£¥%\s'’_]/.test(value)) return sql(`regexp_replace(${field}, '[^0-9.eE+-]', '', 'g')`);
  return '';
}

function describePlace({ line, row }: Pick<Issue, 'line' | 'row'>): string {
  return line === null ? `row ${row}` : `line ${line}`;
}

export interface SetAside {
  readonly dataset: DatasetName;
  readonly kind: IssueKind;
  readonly field: string;
  readonly reason: string;
  /** Those that the report lists. */
  readonly rows: number;
  readonly first: Pick<Issue, 'file' | 'line' | 'row' | 'value'>;
}

/** Most rows first. */
export function reasonsOf(issues: readonly Issue[]): readonly SetAside[] {
  const reasons = new Map<string, SetAside>();
  for (const issue of issues) {
    const { dataset, kind, field, reason, file, line, row, value } = issue;
    const name = JSON.stringify([dataset, kind, field, reason]);
    const before = reasons.get(name);
    const rows = (before?.rows ?? 0) + 1;
    reasons.set(name, { dataset, kind, field, reason, rows, first: before?.first ?? { file, line, row, value } });
  }
  return [...reasons.values()].sort((a, b) => b.rows - a.rows);
}

/** `11 × value: is not a number (the first in scores.jsonl line 1: "n/a")`. */
export function describeReason({ field, reason, rows, first }: SetAside): string {
  const value = first.value === null ? '' : `: ${JSON.stringify(first.value)}`;
  const place = `${rows > 1 ? 'the first in ' : ''}${first.file} ${describePlace(first)}${value}`;
  return `${rows} × ${field}: ${reason} (${place})${hintOn({ field, reason, value: first.value })}`;
}
