/**
 * The tables of a run's DuckDB database, in the order in which the stages fill them. Rows travel between stages in these
 * tables, never through arguments.
 *
 * | table | one row per | filled by |
 * | --- | --- | --- |
 * | `source_<dataset>` | row of the source file, in file order; typed, with a `fault` bit for each broken rule | capture |
 * | `previous_<dataset>` | record of yesterday's state, with `valid_from`; this and the next two are views of files | previous |
 * | `previous_suspects` | suspect that was pending yesterday | previous |
 * | `previous_removed` | model or benchmark that existed once and no longer does | previous |
 * | `issues` | problem found, at most ISSUES_MAX a dataset and kind | check |
 * | `aside_<dataset>` | key whose row was quarantined or is a suspect: its record is carried | check |
 * | `captured_<dataset>` | good row of `source_<dataset>`, with the same rowid; keys unique | check |
 * | `suspects` | price held back, with the days it has stood | check |
 * | `removed` | as `previous_removed`, after this night | check |
 * | `merged_<dataset>` | key of yesterday or today, in key order, with `op` | diff |
 * | `changes` | event of the feed | diff |
 * | `closed_<dataset>` | interval that ended | history |
 * | `aliases` | name of a model in the source's table of names, where it keeps one | snapshot |
 *
 * `op` of a merged row: `upsert` new or changed; `keep` captured and unchanged; `idle` not captured, its dataset's file
 * was not there; `carry` set aside or withheld, in force without a point today; `delete` gone.
 */
import type { DatasetName } from '../../schemas/datasets.ts';
import type { Database } from '../../storage/duckdb/database.ts';
import { number } from '../../storage/duckdb/row-shape.ts';

export type TableStage = 'source' | 'previous' | 'aside' | 'captured' | 'merged' | 'closed';

/** The name of a dataset's table of a stage. */
export function table(stage: TableStage, dataset: DatasetName): string {
  return `${stage}_${dataset}`;
}

/**
 * Counts rows.
 * @param from what stands behind FROM: a table, and a condition where not all of it counts
 */
export async function countRows(database: Database, from: string): Promise<number> {
  const { rows } = await database.row({ rows: number }, `SELECT count(*)::DOUBLE AS rows FROM ${from}`);
  return rows;
}

/** The columns of a suspect, in `suspects`, `previous_suspects` and `state/suspects.parquet`. */
export const SUSPECT_COLUMNS =
  'model_id VARCHAR, provider VARCHAR, entity_id VARCHAR, input_per_million DOUBLE, output_per_million DOUBLE, ' +
  'rule VARCHAR, since DATE, days INTEGER';

/** The columns of a vanished parent, in `removed`, `previous_removed` and `state/removed.parquet`. */
export const REMOVED_COLUMNS = 'dataset VARCHAR, id VARCHAR, removed_on DATE';
