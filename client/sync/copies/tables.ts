/**
 * The tables of a copy in a database: one per dataset with a column per published field, `changes` with the events that are
 * kept, and `_modelstats_sync` with one row that says what the copy is.
 */

import { AppError } from '../../../runtime/errors.ts';
import {
  DATASET_NAMES,
  DATASETS,
  type Dataset,
  type DatasetName,
  publishedColumns,
} from '../../../schemas/datasets.ts';
import { RECORD_VERSIONS } from '../../../schemas/record-versions.ts';
import { NOT_A_COPY, type SyncState, type Update } from '../copy.ts';

export const STATE_TABLE = '_modelstats_sync';
export const EVENTS_TABLE = 'changes';

/** Every name that a copy takes in its database. */
const TABLE_NAMES = [...DATASET_NAMES, EVENTS_TABLE, STATE_TABLE] as const;

/** The columns of {@link STATE_TABLE}, all of them text. */
export const STATE_COLUMNS = [
  'url',
  'snapshot_id',
  'cursor',
  'schema_version',
  'data_as_of',
  'synced_at',
  'benchmarks_sha256',
  'history_from',
  'etags',
] as const satisfies readonly (keyof SyncState)[];

/** The columns of {@link EVENTS_TABLE}; `key` and `data` hold JSON. */
export const EVENT_COLUMNS = [
  'seq',
  'occurred_on',
  'entity_type',
  'entity_id',
  'key',
  'op',
  'data',
  'schema_version',
] as const;

/** Its key: a record of the snapshot that the events go on from has the seq of that snapshot. */
export const EVENTS_KEY = ['entity_type', 'entity_id', 'seq'] as const;

/** Columns by which records are looked for beside their key. */
const INDEXED: readonly { readonly dataset: DatasetName; readonly columns: string }[] = [
  { dataset: 'scores', columns: 'benchmark_id' },
  { dataset: 'rankings', columns: 'category, rank' },
  { dataset: 'pricing', columns: 'provider' },
];

/** Makes an index for each of them that isn't there yet, in SQLite and PostgreSQL alike. */
export const CREATE_INDEXES = INDEXED.map(
  ({ dataset, columns }) =>
    `CREATE INDEX IF NOT EXISTS ${dataset}_by_${columns.split(',')[0]} ON ${dataset} (${columns})`,
);

/** Throws `usage` where a database without a copy has a table of one of its names: it must not be overwritten. */
export function assertNoOthers(tables: readonly string[], place: string): void {
  const names = new Set(tables);
  const foreign = names.has(STATE_TABLE) ? undefined : TABLE_NAMES.find((name) => names.has(name));
  if (foreign !== undefined) throw new AppError('usage', `${place} has a table ${foreign}, ${NOT_A_COPY}`);
}

/** What an update does to one table; each takes the path of a file. */
export interface TableWrites {
  readonly replace: (name: DatasetName, records: string) => Promise<void>;
  readonly remove: (name: DatasetName, keys: string) => Promise<void>;
  readonly upsert: (name: DatasetName, records: string) => Promise<void>;
}

/** Does an update's work on the tables of the datasets, one after the other. */
export async function writeTables(
  { replaced, upserts, deletes }: Pick<Update, 'replaced' | 'upserts' | 'deletes'>,
  { replace, remove, upsert }: TableWrites,
): Promise<void> {
  for (const name of DATASET_NAMES) {
    const { [name]: all } = replaced;
    if (all !== undefined) await replace(name, all);
    const { [name]: gone } = deletes;
    if (gone !== undefined) await remove(name, gone);
    const { [name]: changed } = upserts;
    if (changed !== undefined) await upsert(name, changed);
  }
}

/** `name TYPE NOT NULL, …, PRIMARY KEY (…)` of a dataset's table. */
export function tableDefinition(dataset: Dataset, typeOf: (column: Dataset['columns'][number]) => string): string {
  const columns = publishedColumns(dataset).map(
    (column) => `${column.name} ${typeOf(column)}${column.nullable ? '' : ' NOT NULL'}`,
  );
  return [...columns, `PRIMARY KEY (${dataset.key.join(', ')})`].join(', ');
}

/** The columns of a dataset's table. */
export function columnsOf(name: DatasetName): Dataset['columns'] {
  return publishedColumns(DATASETS[name]);
}

/** Those of them that records of a version have, in its order; all where this program doesn't know it. */
export function columnsIn(name: DatasetName, version: string): Dataset['columns'] {
  const known = RECORD_VERSIONS.find((candidate) => candidate.version === version);
  return known === undefined ? columnsOf(name) : publishedColumns(known.datasets[name]);
}

/** The columns that a table made by an older program lacks: they may be null, and are added behind the others. */
export function columnsToAdd(name: DatasetName, present: readonly string[]): Dataset['columns'] {
  if (present.length === 0) return [];
  return columnsOf(name).filter((column) => !present.includes(column.name));
}

/** The values of a state in the order of {@link STATE_COLUMNS}. */
export function stateValues(state: SyncState): (string | null)[] {
  return STATE_COLUMNS.map((column) => state[column]);
}

/** The state that a row of {@link STATE_TABLE} holds. */
export function stateFromRow(row: Readonly<Record<string, unknown>>): SyncState {
  const value = (column: keyof SyncState) => {
    const found = row[column];
    return typeof found === 'string' ? found : null;
  };
  const needed = (column: keyof SyncState) => value(column) ?? '';
  return {
    url: needed('url'),
    snapshot_id: value('snapshot_id'),
    cursor: value('cursor'),
    schema_version: needed('schema_version'),
    data_as_of: needed('data_as_of'),
    synced_at: needed('synced_at'),
    benchmarks_sha256: value('benchmarks_sha256'),
    history_from: value('history_from'),
    etags: value('etags'),
  };
}
