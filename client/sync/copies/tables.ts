/**
 * The tables of a copy in a database: one per dataset with a column per published field, `changes` with the events that are
 * kept, and `_modelstats_sync` with one row that says what the copy is.
 */

import { AppError } from '../../../runtime/errors.ts';
import {
  type Column,
  type ColumnType,
  DATASET_NAMES,
  DATASETS,
  type Dataset,
  type DatasetName,
  publishedColumns,
} from '../../../schemas/datasets.ts';
import { RECORD_VERSIONS } from '../../../schemas/record-versions.ts';
import { type Copy, NOT_A_COPY, type SyncState, type Update } from '../copy.ts';

export const STATE_TABLE = '_modelstats_sync';
export const EVENTS_TABLE = 'changes';

/** Every name that a copy takes in its database. */
const TABLE_NAMES = [...DATASET_NAMES, EVENTS_TABLE, STATE_TABLE] as const;

/** The columns of {@link STATE_TABLE}, all of them text. */
const STATE_COLUMNS = [
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
function assertNoOthers(tables: readonly string[], place: string): void {
  const names = new Set(tables);
  const foreign = names.has(STATE_TABLE) ? undefined : TABLE_NAMES.find((name) => names.has(name));
  if (foreign !== undefined) throw new AppError('usage', `${place} has a table ${foreign}, ${NOT_A_COPY}`);
}

/** How a database has the tables of a copy, where it is otherwise than in others. */
export interface Dialect {
  readonly types: Readonly<Record<ColumnType, string>>;
  /** Selects the `name` of every table that is there, in lower case. */
  readonly tablesSql: string;
  /** Selects `table_name` and `column_name` of every column that is there. */
  readonly columnsSql: string;
  /** The columns of {@link EVENTS_TABLE}. */
  readonly events: string;
  /** What stands behind the columns of a table; nothing unless given. */
  readonly optionsOf?: (table: string) => string;
  readonly indexes: readonly string[];
  readonly begin: string;
  /** Of a value in a statement, numbered from 1. */
  readonly placeOf: (number: number) => string;
}

type Row = Readonly<Record<string, unknown>>;

/** A copy in the tables of a database; how statements are run and records written is for each kind of database to say. */
export abstract class TablesCopy implements Copy {
  readonly isVerbatim = false;
  readonly batchEvents = 20_000;
  readonly #dialect: Dialect;

  protected constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  protected abstract run(sql: string, values?: readonly (string | null)[]): Promise<void>;
  protected abstract rows(sql: string): Promise<readonly Row[]>;
  /** Each takes the path of a file of records, of keys, or of events. */
  protected abstract replace(name: DatasetName, records: string): Promise<void>;
  protected abstract remove(name: DatasetName, keys: string): Promise<void>;
  protected abstract upsert(name: DatasetName, records: string): Promise<void>;
  protected abstract addEvents(events: string): Promise<void>;
  abstract lines(name: DatasetName, version: string): AsyncIterable<string>;
  abstract close(): Promise<void>;

  async state(): Promise<SyncState | undefined> {
    const [row] = await this.rows(`SELECT * FROM ${STATE_TABLE}`);
    return row && stateFromRow(row);
  }

  placeOf(name: DatasetName): string {
    return `table ${name}`;
  }

  update({ events, dropsEvents, state, ...records }: Update): Promise<void> {
    return this.#atOnce(async () => {
      await this.#writeRecords(records);
      if (dropsEvents) await this.run(`DELETE FROM ${EVENTS_TABLE}`);
      if (events !== undefined) await this.addEvents(events);
      await this.run(`DELETE FROM ${STATE_TABLE}`);
      const places = STATE_COLUMNS.map((_, index) => this.#dialect.placeOf(index + 1)).join(', ');
      const values = STATE_COLUMNS.map((column) => state[column]);
      await this.run(`INSERT INTO ${STATE_TABLE} VALUES (${places})`, values);
    });
  }

  async #writeRecords({ replaced, upserts, deletes }: Pick<Update, 'replaced' | 'upserts' | 'deletes'>): Promise<void> {
    for (const name of DATASET_NAMES) {
      const { [name]: all } = replaced;
      if (all !== undefined) await this.replace(name, all);
      const { [name]: gone } = deletes;
      if (gone !== undefined) await this.remove(name, gone);
      const { [name]: changed } = upserts;
      if (changed !== undefined) await this.upsert(name, changed);
    }
  }

  /** Makes the tables that are missing, and adds columns that an older program's lack. Rejects with `usage` where others are there. */
  protected async prepare(place: string): Promise<void> {
    const { types, tablesSql, columnsSql, events, optionsOf = () => '', indexes } = this.#dialect;
    const tables = await this.rows(tablesSql);
    assertNoOthers(
      tables.map(({ name }) => String(name)),
      place,
    );
    const state = STATE_COLUMNS.map((column) => `${column} ${types.text}`).join(', ');
    const all = [
      ...DATASET_NAMES.map((name) => [name, this.definitionOf(name)] as const),
      [EVENTS_TABLE, events] as const,
      [STATE_TABLE, state] as const,
    ];
    const creates = all.map(([name, columns]) => `CREATE TABLE IF NOT EXISTS ${name} (${columns})${optionsOf(name)}`);
    // Only where one is missing: on PostgreSQL even a statement that adds nothing waits until nobody reads the table.
    const adds = columnsToAdd(await this.rows(columnsSql)).map(
      ([table, { name, type }]) => `ALTER TABLE ${table} ADD COLUMN ${name} ${types[type]}`,
    );
    await this.#atOnce(async () => {
      for (const statement of [...creates, ...adds, ...indexes]) await this.run(statement);
    });
  }

  /** `name TYPE NOT NULL, …, PRIMARY KEY (…)` of a dataset's table. */
  protected definitionOf(name: DatasetName): string {
    const columns = columnsOf(name).map(
      (column) => `${column.name} ${this.#dialect.types[column.type]}${column.nullable ? '' : ' NOT NULL'}`,
    );
    return [...columns, `PRIMARY KEY (${DATASETS[name].key.join(', ')})`].join(', ');
  }

  async #atOnce(work: () => Promise<void>): Promise<void> {
    await this.run(this.#dialect.begin);
    try {
      await work();
      await this.run('COMMIT');
    } catch (error) {
      await this.run('ROLLBACK').catch(() => undefined);
      throw error;
    }
  }
}

/** The columns that tables made by an older program lack: they may be null, and are added behind the others. */
function columnsToAdd(present: readonly Row[]): readonly (readonly [DatasetName, Column])[] {
  return DATASET_NAMES.flatMap((dataset) => {
    const there = present.filter(({ table_name: table }) => table === dataset);
    const isMissing = ({ name }: Column) => !there.some(({ column_name: column }) => column === name);
    return there.length === 0
      ? []
      : columnsOf(dataset)
          .filter(isMissing)
          .map((column) => [dataset, column] as const);
  });
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

/** A row as the line of a record. */
export function lineFrom(
  columns: Dataset['columns'],
  row: Row,
  shown: (column: Column, value: unknown) => unknown,
): string {
  return JSON.stringify(Object.fromEntries(columns.map((column) => [column.name, shown(column, row[column.name])])));
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
