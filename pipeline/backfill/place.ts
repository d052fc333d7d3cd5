import { join } from 'node:path';
import type { Day } from '../../runtime/day.ts';
import { AppError } from '../../runtime/errors.ts';
import type { Catalog, CatalogEntry } from '../../schemas/catalog.ts';
import { DATASETS } from '../../schemas/datasets.ts';
import { loadRelease } from '../../storage/catalog.ts';
import { type Database, writeParquet } from '../../storage/duckdb/database.ts';
import { columnList, sameKeySql } from '../../storage/duckdb/record-sql.ts';
import { nullable, number, text } from '../../storage/duckdb/row-shape.ts';
import { fetchReleaseFile } from '../../storage/fetch-object.ts';
import { RELEASE_PATHS } from '../../storage/keys.ts';
import { table } from '../night/tables.ts';
import type { WorkDeps } from '../run/run.ts';
import type { SourceSettings } from '../source/source-settings.ts';
import { PRICING_TABLE, TABLE_COLUMNS } from './read-table.ts';

/** The reconstructed intervals, counted. */
export interface Placement {
  readonly intervals: number;
  readonly models: number;
  /** Rows merged into the intervals. */
  readonly rows_placed: number;
  readonly first_day: Day | null;
  readonly last_day: Day | null;
}

/** As in the history of the first releases. */
const COLUMNS = `${columnList(TABLE_COLUMNS)}, valid_from, valid_to`;
const KEY = columnList(DATASETS.pricing.key);
/** An unknown start comes before every known one. */
const IN_ORDER = 'starts, effective_from NULLS FIRST, row';

/**
 * Fills `placed`: one row per interval, by key and day. Overlapping rows of one model and provider become one interval,
 * with the first `effective_from`. `updated_at` is midnight of its first day, so that equal tables give equal rows.
 */
export async function placeIntervals(database: Database): Promise<Placement> {
  await database.run(
    `CREATE OR REPLACE TABLE placed AS
     WITH marked AS (
       SELECT *, coalesce(starts >= max(ends) OVER (PARTITION BY ${KEY} ORDER BY ${IN_ORDER}
                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), true) AS begins
       FROM classified WHERE verdict IS NULL),
     numbered AS (
       SELECT *, count(*) FILTER (begins) OVER (PARTITION BY ${KEY} ORDER BY ${IN_ORDER}
                ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS interval_number FROM marked),
     merged AS (
       SELECT ${KEY}, first(input_per_million) AS input_per_million, first(output_per_million) AS output_per_million,
              first(currency) AS currency, first(effective_from ORDER BY ${IN_ORDER}) AS effective_from,
              CAST(min(starts) AS TIMESTAMP) AS updated_at, min(starts) AS valid_from, max(ends) - 1 AS valid_to
       FROM numbered GROUP BY ${KEY}, interval_number)
     SELECT ${COLUMNS} FROM merged ORDER BY ${KEY}, valid_from`,
  );
  return countPlaced(database);
}

async function countPlaced(database: Database): Promise<Placement> {
  return database.row(
    PLACEMENT,
    `SELECT count(*)::DOUBLE AS intervals, count(DISTINCT model_id)::DOUBLE AS models,
            (SELECT count(*) FROM classified WHERE verdict IS NULL)::DOUBLE AS rows_placed,
            min(valid_from)::VARCHAR AS first_day, max(valid_to)::VARCHAR AS last_day FROM placed`,
  );
}

const PLACEMENT = {
  intervals: number,
  models: number,
  rows_placed: number,
  first_day: nullable(text),
  last_day: nullable(text),
};

export async function writeIntervals(database: Database, path: string): Promise<void> {
  await writeParquet(database, `SELECT * FROM placed ORDER BY ${KEY}, valid_from`, path);
}

export async function hasSameIntervals(database: Database, path: string): Promise<boolean> {
  const stored = `SELECT ${COLUMNS} FROM read_parquet($1)`;
  const { differing } = await database.row(
    { differing: number },
    `SELECT count(*)::DOUBLE AS differing FROM (
       (FROM placed EXCEPT ALL ${stored}) UNION ALL (${stored} EXCEPT ALL FROM placed))`,
    [path],
  );
  return differing === 0;
}

export interface Bounds {
  /** Null: unbounded. */
  readonly from: Day | null;
  /** From this day on, no price is reconstructed. */
  readonly firstCaptured: Day;
}

/** Rejects with `not_found` where no pricing was captured yet, with `usage` where `from` leaves no day. */
export function getBounds(catalog: Catalog | undefined, from: Day | null): Bounds {
  const firstCaptured = catalog?.releases.find(({ captured }) => captured.includes('pricing'))?.day;
  if (firstCaptured === undefined) {
    throw new AppError(
      'not_found',
      'the store holds no day with captured pricing; a backfill ends on the day before the first one, so publish it first',
    );
  }
  if (from !== null && from >= firstCaptured) {
    throw new AppError('usage', `--from ${from} leaves no day: pricing is captured since ${firstCaptured}`);
  }
  return { from, firstCaptured };
}

/** Models of the newest state, and removed ones. */
export async function loadKnownModels(entry: CatalogEntry, { store, database, scratch }: WorkDeps): Promise<void> {
  const release = await loadRelease(store, entry);
  const [models, removed] = [join(scratch, 'models.parquet'), join(scratch, 'removed.parquet')];
  await fetchReleaseFile(store, release, RELEASE_PATHS.state('models'), models);
  await fetchReleaseFile(store, release, RELEASE_PATHS.removed, removed);
  await database.run(
    `CREATE OR REPLACE TABLE known_models AS SELECT id FROM read_parquet($1)
     UNION SELECT id FROM read_parquet($2) WHERE dataset = 'models'`,
    [models, removed],
  );
}

/** The first reason that applies to a row. */
export const NOT_PLACED_REASONS = [
  /** Breaks a rule of its columns. */
  'bad_row',
  /** Ends on or before its first day. */
  'empty_interval',
  /** A price outside `price_range`. */
  'implausible_price',
  /** Captured by no night. */
  'unknown_model',
  /** Begins on or after the first captured pricing day. */
  'captured',
  /** Ends on or before `--from`. */
  'before_from',
  /** Another row has a different price on the same days. */
  'contradiction',
  /** Neither the row nor `--from` gives a start. */
  'start_unknown',
] as const;
export type NotPlacedReason = (typeof NOT_PLACED_REASONS)[number];

export type ClassifyInput = Bounds & Pick<SourceSettings, 'price_range'>;

/**
 * Fills `classified` from `source_pricing`: one row per row without a fault, with `row` (1-based), the days [`starts`,
 * `ends`) of its price, `verdict` (why it is not placed, or null) and `rival` (a contradicting row). A row with an
 * unknown, unbounded start contradicts everything before its end.
 */
export async function classifyRows(
  database: Database,
  { from, firstCaptured, price_range }: ClassifyInput,
): Promise<void> {
  await database.run(
    `CREATE OR REPLACE TABLE classified AS
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

/** From the row alone; $1 is `--from` or null, $2 the first captured day, $3 and $4 the price range. */
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
