import { DATASET_NAMES, DATASETS, type Dataset } from '../../schemas/datasets.ts';
import { sqlText } from '../../storage/duckdb/database.ts';
import { columnList, sameKeySql } from '../../storage/duckdb/record-sql.ts';

/** Where a replay starts: relations as SQL. */
export interface ReplayRelations {
  /** Yesterday's records: the key's columns and `line`. */
  readonly previous: string;
  /** The events of the night, with the columns of `changes.parquet`. */
  readonly changes: string;
}

/**
 * The lines of a dataset after a consumer has applied a night's events to the snapshot before (specification "Replay"), in
 * key order. One row per record, one column.
 */
export function replaySql(dataset: Dataset, { previous, changes }: ReplayRelations): string {
  const key = dataset.key.map((part) => `key ->> '$.${part}' AS ${part}`).join(', ');
  return `WITH touched AS (SELECT ${key}, op, data FROM (${changes}) WHERE entity_type = '${dataset.entityType}')
    SELECT line FROM (
      SELECT ${columnList(dataset.key)}, line FROM (${previous}) p
      WHERE NOT EXISTS (SELECT 1 FROM touched t WHERE ${sameKeySql(dataset, 't', 'p')})
      UNION ALL SELECT ${columnList(dataset.key)}, data AS line FROM touched WHERE op = 'upsert')
    ORDER BY ${columnList(dataset.key)}`;
}

/** A file of canonical lines as a relation with the key's columns and `line`. */
export function linesSql(dataset: Dataset, path: string): string {
  const key = dataset.key.map((part) => `line ->> '$.${part}' AS ${part}`).join(', ');
  return `SELECT ${key}, CAST(line AS VARCHAR) AS line FROM (
    SELECT json AS line FROM read_ndjson_objects(${sqlText(path)}, maximum_object_size = ${LINE_BYTES_MAX}))`;
}

/** {@link linesSql} of the nothing before the first night. */
export function noLinesSql(dataset: Dataset): string {
  const columns = [...dataset.key, 'line'].map((name) => `CAST(NULL AS VARCHAR) AS ${name}`);
  return `SELECT ${columns.join(', ')} WHERE false`;
}

/** Far above any line we write. */
const LINE_BYTES_MAX = 64 * 1024 * 1024;

/**
 * Counts events whose names do not agree (specification "Change events"): `key` is the canonical JSON of the parts, `entity_id`
 * joins exactly these, and an upsert's line starts with them. One row, one column `events`.
 *
 * @param changes a relation with the columns of `changes.parquet`
 */
export function misnamedEventsSql(changes: string): string {
  const cases = DATASET_NAMES.map((name) => DATASETS[name]).flatMap((dataset) =>
    dataset.entityType === null ? [] : [`WHEN '${dataset.entityType}' THEN ${isWellNamedSql(dataset)}`],
  );
  return `SELECT count(*) FILTER (NOT coalesce(CASE WHEN json_valid(key) THEN CASE entity_type ${cases.join(' ')} END END, false))::DOUBLE
    AS events FROM ${changes}`;
}

function isWellNamedSql(dataset: Dataset): string {
  const parts = dataset.key.map((name) => `(key ->> '$.${name}')`);
  const members = dataset.key.map((name, index) => `'${index === 0 ? '{' : ','}"${name}":', to_json(${parts[index]})`);
  const line = `op = 'delete' OR starts_with(data, left(key, length(key) - 1) || ',')`;
  return `key = concat(${members.join(', ')}, '}') AND entity_id = ${parts.join(` || ':' || `)} AND (${line})`;
}
