import type { Day } from '../../runtime/day.ts';
import { DATASETS } from '../../schemas/datasets.ts';
import { type Database, writeParquet } from '../../storage/duckdb/database.ts';
import { columnList } from '../../storage/duckdb/record-sql.ts';
import { nullable, number, text } from '../../storage/duckdb/row-shape.ts';

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
