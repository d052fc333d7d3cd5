/**
 * Tables of a copy: one per dataset with a column per published field, `changes` with the stored events, and
 * `_modelstats_sync` with one row of state.
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

const TABLE_NAMES = [...DATASET_NAMES, EVENTS_TABLE, STATE_TABLE] as const;

/** All text. */
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

/** `key` and `data` are JSON. */
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

/** Records of the initial snapshot share that snapshot's seq. */
export const EVENTS_KEY = ['entity_type', 'entity_id', 'seq'] as const;

const INDEXED: readonly { readonly dataset: DatasetName; readonly columns: string }[] = [
  { dataset: 'scores', columns: 'benchmark_id' },
  { dataset: 'rankings', columns: 'category, rank' },
  { dataset: 'pricing', columns: 'provider' },
];

export const CREATE_INDEXES = INDEXED.map(
  ({ dataset, columns }) =>
    `CREATE INDEX IF NOT EXISTS ${dataset}_by_${columns.split(',')[0]} ON ${dataset} (${columns})`,
);

/** Throws `usage` for a database without a copy that has a table of these names. */
function assertNoOthers(tables: readonly string[], place: string): void {
  const names = new Set(tables);
  const foreign = names.has(STATE_TABLE) ? undefined : TABLE_NAMES.find((name) => names.has(name));
  if (foreign !== undefined) throw new AppError('usage', `${place} has a table ${foreign}, ${NOT_A_COPY}`);
}

export interface Dialect {
  readonly types: Readonly<Record<ColumnType, string>>;
  /** In lower case. */
  readonly tablesSql: string;
  /** In lower case. */
  readonly columnsSql: string;
  readonly events: string;
  /** Appended after the columns. Default: nothing. */
  readonly optionsOf?: (table: string) => string;
  readonly indexes: readonly string[];
  readonly begin: string;
  /** The placeholder of a value, from 1. */
  readonly placeOf: (number: number) => string;
}

type Row = Readonly<Record<string, unknown>>;

/** A copy in database tables; subclasses run the statements and write the records. */
export abstract class TablesCopy implements Copy {
  readonly isVerbatim = false;
  readonly batchEvents = 20_000;
  readonly #dialect: Dialect;

  protected constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  protected abstract run(sql: string, values?: readonly (string | null)[]): Promise<void>;
  protected abstract rows(sql: string): Promise<readonly Row[]>;
  /** Each takes the path of a file. */
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
    return this.#inTransaction(async () => {
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

  /**
   * Creates missing tables, and adds columns that an older program's tables lack. Rejects with `usage` for foreign
   * tables.
   */
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
    // Only missing ones: PostgreSQL waits for all readers of the table even if nothing is added.
    const adds = columnsToAdd(await this.rows(columnsSql)).map(
      ([table, { name, type }]) => `ALTER TABLE ${table} ADD COLUMN ${name} ${types[type]}`,
    );
    await this.#inTransaction(async () => {
      for (const statement of [...creates, ...adds, ...indexes]) await this.run(statement);
    });
  }

  /** `name TYPE NOT NULL, …, PRIMARY KEY (…)` */
  protected definitionOf(name: DatasetName): string {
    const columns = columnsOf(name).map(
      (column) => `${column.name} ${this.#dialect.types[column.type]}${column.nullable ? '' : ' NOT NULL'}`,
    );
    return [...columns, `PRIMARY KEY (${DATASETS[name].key.join(', ')})`].join(', ');
  }

  async #inTransaction(work: () => Promise<void>): Promise<void> {
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

/** They are nullable and come last. */
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

export function columnsOf(name: DatasetName): Dataset['columns'] {
  return publishedColumns(DATASETS[name]);
}

/** The columns of a version, in its order; all for an unknown version. */
export function columnsIn(name: DatasetName, version: string): Dataset['columns'] {
  const known = RECORD_VERSIONS.find((candidate) => candidate.version === version);
  return known === undefined ? columnsOf(name) : publishedColumns(known.datasets[name]);
}

export function lineFrom(
  columns: Dataset['columns'],
  row: Row,
  shown: (column: Column, value: unknown) => unknown,
): string {
  return JSON.stringify(Object.fromEntries(columns.map((column) => [column.name, shown(column, row[column.name])])));
}

export function stateFromRow(row: Readonly<Record<string, unknown>>): SyncState {
  const value = (column: keyof SyncState) => {
    const found = row[column];
    return typeof found === 'string' ? found : null;
  };
  const required = (column: keyof SyncState) => value(column) ?? '';
  return {
    url: required('url'),
    snapshot_id: value('snapshot_id'),
    cursor: value('cursor'),
    schema_version: required('schema_version'),
    data_as_of: required('data_as_of'),
    synced_at: required('synced_at'),
    benchmarks_sha256: value('benchmarks_sha256'),
    history_from: value('history_from'),
    etags: value('etags'),
  };
}
