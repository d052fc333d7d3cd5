import { appendFile, writeFile } from 'node:fs/promises';
import type { Database } from '../../storage/duckdb/database.ts';
import { nullable, number, oneOf, type RowOf, text } from '../../storage/duckdb/row-shape.ts';
import type { CapturedFile } from '../night/capture/capture.ts';
import { lineFinder } from '../night/check/issues.ts';
import { type ClassifyInput, NOT_PLACED_REASONS, type NotPlacedReason } from './place.ts';

/** By reason; reasons without rows are left out. */
export type NotPlaced = Readonly<Partial<Record<NotPlacedReason, number>>>;

/** SQL over a row of `classified`. */
interface Explanation {
  readonly field: string;
  readonly value: string;
  readonly reason: string;
}

/** Problems written at once, for bounded memory. */
const PAGE_ROWS = 10_000;

/** Fills `not_placed`, one row per problem; a row with several problems counts once. */
export async function countNotPlaced(database: Database, input: ClassifyInput): Promise<NotPlaced> {
  const selects = Object.entries(explanations(input)).map(
    ([verdict, { field, value, reason }]) =>
      `SELECT row, '${verdict}', '${field}', CAST(${value} AS VARCHAR), ${reason} FROM classified WHERE verdict = '${verdict}'`,
  );
  await database.run(
    `CREATE OR REPLACE TABLE not_placed AS
     SELECT row, 'bad_row' AS kind, field, value, reason FROM issues UNION ALL ${selects.join(' UNION ALL ')}`,
  );
  const rows = await database.rows(
    { kind: oneOf(NOT_PLACED_REASONS), rows: number },
    'SELECT kind, count(DISTINCT row)::DOUBLE AS rows FROM not_placed GROUP BY kind ORDER BY kind',
  );
  const counts = new Map(rows.map(({ kind, rows: count }) => [kind, count]));
  return Object.fromEntries(
    NOT_PLACED_REASONS.filter((reason) => counts.has(reason)).map((reason) => [reason, counts.get(reason) ?? 0]),
  );
}

function explanations({ from, firstCaptured, price_range: [low, high] }: ClassifyInput) {
  const prices = `concat_ws(', ', coalesce(CAST(input_per_million AS VARCHAR), 'null'),
    coalesce(CAST(output_per_million AS VARCHAR), 'null'))`;
  return {
    empty_interval: {
      field: 'effective_from, effective_to',
      value: `effective_from || ', ' || effective_to`,
      reason: `'ends on or before the day on which it begins'`,
    },
    implausible_price: {
      field: 'input_per_million, output_per_million',
      value: prices,
      reason: `'is outside ${low} to ${high} per million tokens'`,
    },
    unknown_model: { field: 'model_id', value: 'model_id', reason: `'never existed in the store'` },
    captured: {
      field: 'effective_from',
      value: 'effective_from',
      reason: `'begins on or after ${firstCaptured}, since when pricing is captured'`,
    },
    before_from: { field: 'effective_to', value: 'effective_to', reason: `'ends on or before --from ${from}'` },
    contradiction: {
      field: 'input_per_million, output_per_million, currency',
      value: `${prices} || ', ' || currency`,
      reason: `'overlaps row ' || rival || ' of the same model and provider, which has another price'`,
    },
    start_unknown: {
      field: 'effective_from',
      value: 'effective_from',
      reason: `'is unknown, and no --from bounds it'`,
    },
  } satisfies Record<Exclude<NotPlacedReason, 'bad_row'>, Explanation>;
}

/** JSON Lines in file order; lines are 1-based, null where the format has none. */
export async function writeNotPlaced(database: Database, captured: CapturedFile, path: string): Promise<void> {
  const lineFromRow = lineFinder(captured);
  await writeFile(path, '');
  for (let offset = 0; ; offset += PAGE_ROWS) {
    const rows = await database.rows(
      PROBLEM,
      `SELECT kind, row::DOUBLE AS row, field, value, reason FROM not_placed ORDER BY not_placed.row, field, reason
       LIMIT ${PAGE_ROWS} OFFSET ${offset}`,
    );
    const lines = rows.map((row) => `${JSON.stringify(issueFromRow(row, captured.origin, lineFromRow))}\n`);
    await appendFile(path, lines.join(''));
    if (rows.length < PAGE_ROWS) return;
  }
}

const PROBLEM = {
  kind: oneOf(NOT_PLACED_REASONS),
  row: number,
  field: text,
  value: nullable(text),
  reason: text,
};

function issueFromRow(
  { kind, row, field, value, reason }: RowOf<typeof PROBLEM>,
  file: string,
  lineFromRow: (row: number) => number | null,
) {
  return { dataset: 'pricing', kind, file, line: lineFromRow(row), row, field, value, reason };
}
