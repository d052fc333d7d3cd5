import { DELETE_ORDER, UPSERT_ORDER } from '../../schemas/change.ts';
import {
  type Column,
  DATASET_NAMES,
  DATASETS,
  type DatasetName,
  publishedColumns,
  publishedName,
} from '../../schemas/datasets.ts';
import { code, markdownTable } from '../markdown/tables.ts';

/** What a value of a column is in JSON. */
const JSON_TYPES: Readonly<Record<Column['type'], string>> = {
  id: 'text, an id',
  text: 'text',
  'text[]': 'list of texts',
  double: 'number',
  integer: 'whole number',
  bigint: 'whole number',
  date: 'date',
  timestamp: 'date-time',
};

/** The fields of each dataset, in the order in which records have them: `fields-models`, `fields-scores` … */
export function fieldTables(): Readonly<Record<string, string>> {
  return Object.fromEntries(DATASET_NAMES.map((name) => [`fields-${name}`, fieldsOf(name)]));
}

/** Each dataset with its key and its name in the feed. */
export function datasetsTable(): string {
  const rows = DATASET_NAMES.map((name) => {
    const { grain, key, entityType } = DATASETS[name];
    return [code(name), grain, key.map(code).join(', '), entityType === null ? 'not in the feed' : code(entityType)];
  });
  return markdownTable(['Dataset', 'One record per', 'Key', '`entity_type` in the change feed'], rows);
}

/** The entity types of a night's deletes, and of its upserts, in their order. */
export function orderValues(): Readonly<Record<string, string>> {
  const inOrder = (names: readonly DatasetName[]) =>
    names.map((name) => code(DATASETS[name].entityType ?? '')).join(', ');
  return { 'order.deletes': inOrder(DELETE_ORDER), 'order.upserts': inOrder(UPSERT_ORDER) };
}

function fieldsOf(name: DatasetName): string {
  const { key } = DATASETS[name];
  const rows = publishedColumns(DATASETS[name]).map((column) => [
    code(publishedName(column)) + (key.includes(column.name) ? ' (key)' : ''),
    JSON_TYPES[column.type] + (column.nullable ? ' or null' : ''),
    column.description,
  ]);
  return markdownTable(['Field', 'Type', 'Meaning'], rows);
}
