import { join } from 'node:path';
import type { Day } from '../../runtime/day.ts';
import { AppError } from '../../runtime/errors.ts';
import type { Catalog, CatalogEntry } from '../../schemas/catalog.ts';
import { DATASETS } from '../../schemas/datasets.ts';
import { loadRelease } from '../../storage/catalog.ts';
import { type Database, writeParquet } from '../../storage/duckdb/database.ts';
import { columnList } from '../../storage/duckdb/record-sql.ts';
import { nullable, number, text } from '../../storage/duckdb/row-shape.ts';
import { fetchReleaseFile } from '../../storage/fetch-object.ts';
import { RELEASE_PATHS } from '../../storage/keys.ts';
import type { WorkDeps } from '../run/run.ts';

/** The intervals that were reconstructed, in numbers. */
export interface Placement {
  readonly intervals: number;
  readonly models: number;
  /** Rows of the table that the intervals stand for. */
  readonly rows_placed: number;
  readonly first_day: Day | null;
  readonly last_day: Day | null;
}

/** The columns of the intervals, as in a release's history, but whose word it was. */
const COLUMNS = `${columnList(DATASETS.pricing.columns.filter(({ isUpstream = false }) => !isUpstream))}, valid_from, valid_to`;
const KEY = columnList(DATASETS.pricing.key);
/** The row that begins first comes first; an unknown start lies before every known one. */
const IN_ORDER = 'starts, effective_from NULLS FIRST, row';

/**
 * Fills `placed` from the rows of `judged` that have a place: one row per interval, in key and day order. Rows of one model
 * and provider that overlap have the same price and become one interval, with the `effective_from` of the row that begins
 * first. `updated_at` is the midnight on which the interval begins, so that the same table always gives the same rows.
 */
export async function placeIntervals(database: Database): Promise<Placement> {
  await database.run(
    `CREATE OR REPLACE TABLE placed AS
     WITH marked AS (
       SELECT *, coalesce(starts >= max(ends) OVER (PARTITION BY ${KEY} ORDER BY ${IN_ORDER}
                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), true) AS begins
       FROM judged WHERE verdict IS NULL),
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
            (SELECT count(*) FROM judged WHERE verdict IS NULL)::DOUBLE AS rows_placed,
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

/** Writes `placed` as the object that will be stored. */
export async function writeIntervals(database: Database, path: string): Promise<void> {
  await writeParquet(database, `SELECT * FROM placed ORDER BY ${KEY}, valid_from`, path);
}

/** True where a file of intervals has exactly the rows of `placed`. */
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

/** The days between which prices may be reconstructed. */
export interface Bounds {
  /** The first day that may have a reconstructed price; null where nothing bounds it. */
  readonly from: Day | null;
  /** The first day on which pricing was captured: itself and everything after it has no reconstructed price. */
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

/** Fills `known_models` with every model that is in the newest state or was removed from an earlier one. */
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
