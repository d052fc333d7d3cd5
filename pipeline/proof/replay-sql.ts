import type { Dataset } from '../schemas/datasets.ts';
import { columnList } from '../storage/record-sql.ts';

/** Where a replay starts: relations as SQL. */
export interface ReplayInput {
  /** Yesterday's records: the key's columns, `entity_id` and `line`. */
  readonly previous: string;
  /** The events of the night, with the columns of `changes.parquet`. */
  readonly changes: string;
}

/**
 * The lines of a dataset after a consumer has applied a night's events to the snapshot before (SPEC "Record in the change
 * feed"), in key order. One row per record, one column.
 */
export function replaySql(dataset: Dataset, { previous, changes }: ReplayInput): string {
  const key = dataset.key.map((part) => `data ->> '$.${part}' AS ${part}`).join(', ');
  return `WITH touched AS (SELECT entity_id, op, data FROM (${changes}) WHERE entity_type = '${dataset.entityType}')
    SELECT line FROM (
      SELECT ${columnList(dataset.key)}, line FROM (${previous}) WHERE entity_id NOT IN (SELECT entity_id FROM touched)
      UNION ALL SELECT ${key}, data AS line FROM touched WHERE op = 'upsert')
    ORDER BY ${columnList(dataset.key)}`;
}
