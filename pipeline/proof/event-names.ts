import { DATASET_NAMES, DATASETS, type Dataset } from '../../schemas/datasets.ts';

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
