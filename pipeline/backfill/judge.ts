import type { Database } from '../../storage/duckdb/database.ts';
import { sameKeySql } from '../../storage/duckdb/record-sql.ts';
import { table } from '../night/tables.ts';
import type { SourceSettings } from '../source/source-settings.ts';
import type { Bounds } from './place.ts';
import { PRICING_TABLE } from './read-table.ts';

/** Why a row of the table has no place in history. A row has one reason: the first of these that holds. */
export const NOT_PLACED_REASONS = [
  /** Breaks a rule of its columns. */
  'bad_row',
  /** Ends on or before the day on which it begins. */
  'empty_interval',
  /** A price outside `price_range`. */
  'implausible_price',
  /** No night has ever captured the model. */
  'unknown_model',
  /** Begins on or after the first captured pricing day. */
  'captured',
  /** Ends on or before `--from`. */
  'before_from',
  /** Another row has a different price on the same days. */
  'contradiction',
  /** Nothing says when it begins, neither the row nor `--from`. */
  'start_unknown',
] as const;
export type NotPlacedReason = (typeof NOT_PLACED_REASONS)[number];

export type JudgeInput = Bounds & Pick<SourceSettings, 'price_range'>;

/**
 * Decides on every readable row of `source_pricing`, with the models of `known_models`. Fills `judged`: one row per row
 * without a fault, with `row` (1-based), the days [`starts`, `ends`) on which its price would be in force, `verdict` (the
 * reason for which it is not placed, or null) and `rival` (a row that contradicts it).
 *
 * A row whose start is unknown and unbounded may have begun on any day, so it contradicts whatever lies before its end.
 */
export async function judgeRows(database: Database, { from, firstCaptured, price_range }: JudgeInput): Promise<void> {
  await database.run(
    `CREATE OR REPLACE TABLE judged AS
     WITH candidates AS (
       SELECT s.rowid + 1 AS row, s.* EXCLUDE (fault), greatest(effective_from, $1::DATE) AS starts,
              least(effective_to, $2::DATE) AS ends, ${VERDICT_SQL} AS verdict
       FROM ${table('source', 'pricing')} s WHERE fault = 0),
     rivals AS (
       SELECT a.row, min(b.row) AS rival FROM candidates a JOIN candidates b ON ${CONTRADICTS_SQL} GROUP BY a.row)
     SELECT candidates.* REPLACE (CASE
              WHEN verdict IS NOT NULL THEN verdict
              WHEN rival IS NOT NULL THEN 'contradiction'
              WHEN starts IS NULL THEN 'start_unknown' END AS verdict), rival
     FROM candidates LEFT JOIN rivals USING (row)`,
    [from, firstCaptured, ...price_range],
  );
}

const isImplausible = (price: string) => `coalesce(${price} <> 0 AND ${price} NOT BETWEEN $3 AND $4, false)`;

/** What a row shows by itself; $1 is `--from` or null, $2 the first captured day, $3 and $4 the price range. */
const VERDICT_SQL = `CASE
  WHEN effective_from >= effective_to THEN 'empty_interval'
  WHEN ${isImplausible('input_per_million')} OR ${isImplausible('output_per_million')} THEN 'implausible_price'
  WHEN model_id NOT IN (SELECT id FROM known_models) THEN 'unknown_model'
  WHEN effective_from >= $2::DATE THEN 'captured'
  WHEN effective_to <= $1::DATE THEN 'before_from' END`;

const startsSql = (alias: string) => `coalesce(${alias}.starts, '-infinity'::DATE)`;

const CONTRADICTS_SQL = `a.verdict IS NULL AND b.verdict IS NULL AND ${sameKeySql(PRICING_TABLE, 'a', 'b')}
  AND ${startsSql('a')} < b.ends AND ${startsSql('b')} < a.ends
  AND (a.input_per_million, a.output_per_million, a.currency)
    IS DISTINCT FROM (b.input_per_million, b.output_per_million, b.currency)`;
