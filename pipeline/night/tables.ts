/**
 * The tables of a run's DuckDB database, in the order in which the stages fill them. Rows travel between stages only in
 * these tables.
 *
 * | table | one row per | filled by |
 * | --- | --- | --- |
 * | `source_<dataset>` | source row, in file order; typed, with a `fault` bit per broken rule | capture |
 * | `previous_<dataset>` | record of yesterday's state, with `valid_from`; this and the next two: views of files | previous |
 * | `previous_suspects` | suspect pending yesterday | previous |
 * | `previous_removed` | model or benchmark that no longer exists | previous |
 * | `issues` | problem, at most ISSUES_MAX per dataset and kind | check |
 * | `aside_<dataset>` | key whose row was quarantined or is a suspect: its record is carried | check |
 * | `captured_<dataset>` | good row of `source_<dataset>`, same rowid; keys unique | check |
 * | `suspects` | price held back, with its number of days | check |
 * | `removed` | as `previous_removed`, after this night | check |
 * | `merged_<dataset>` | key of yesterday or today, in key order, with `op` | diff |
 * | `changes` | event of the feed | diff |
 * | `closed_<dataset>` | ended interval | history |
 * | `aliases` | name in the source's table of model names | snapshot |
 *
 * `op` of a merged row: `upsert` new or changed; `keep` captured, unchanged; `idle` dataset not captured; `carry` set
 * aside or withheld, in force without a point today; `delete` gone.
 */
import type { DatasetName } from '../../schemas/datasets.ts';
import type { Database } from '../../storage/duckdb/database.ts';
import { number } from '../../storage/duckdb/row-shape.ts';

export type TableStage = 'source' | 'previous' | 'aside' | 'captured' | 'merged' | 'closed';

export function table(stage: TableStage, dataset: DatasetName): string {
  return `${stage}_${dataset}`;
}

/** @param from a table, with a condition where not every row counts */
export async function countRows(database: Database, from: string): Promise<number> {
  const { rows } = await database.row({ rows: number }, `SELECT count(*)::DOUBLE AS rows FROM ${from}`);
  return rows;
}

/** In `suspects`, `previous_suspects` and `state/suspects.parquet`. */
export const SUSPECT_COLUMNS =
  'model_id VARCHAR, provider VARCHAR, entity_id VARCHAR, input_per_million DOUBLE, output_per_million DOUBLE, ' +
  'rule VARCHAR, since DATE, days INTEGER';

/** In `removed`, `previous_removed` and `state/removed.parquet`. */
export const REMOVED_COLUMNS = 'dataset VARCHAR, id VARCHAR, removed_on DATE';
