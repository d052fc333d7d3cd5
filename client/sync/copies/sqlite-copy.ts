import SqliteDatabase from 'better-sqlite3';
import { AppError, messageFromError } from '../../../runtime/errors.ts';
import { type Column, type ColumnType, DATASET_NAMES, DATASETS, type DatasetName } from '../../../schemas/datasets.ts';
import type { Copy, SyncState, Update } from '../copy.ts';
import { type AnyRecord, parseRecord, readLines } from '../json-lines.ts';
import {
  assertNoOthers,
  CREATE_INDEXES,
  columnsIn,
  columnsOf,
  columnsToAdd,
  EVENT_COLUMNS,
  EVENTS_KEY,
  EVENTS_TABLE,
  STATE_COLUMNS,
  STATE_TABLE,
  stateFromRow,
  stateValues,
  tableDefinition,
  writeTables,
} from './tables.ts';

/** Dates and date-times are text as published, lists JSON. */
const TYPES: Readonly<Record<ColumnType, string>> = {
  id: 'TEXT',
  text: 'TEXT',
  'text[]': 'TEXT',
  double: 'REAL',
  integer: 'INTEGER',
  bigint: 'INTEGER',
  date: 'TEXT',
  timestamp: 'TEXT',
};

/** A copy in an SQLite file, which may be read while it is written. */
export class SqliteCopy implements Copy {
  readonly isVerbatim = false;
  readonly batchEvents = 20_000;
  readonly #database: SqliteDatabase.Database;

  /** Throws `usage` where the file is something else. */
  constructor(path: string) {
    this.#database = openDatabase(path);
    try {
      this.#prepare(path);
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  async state(): Promise<SyncState | undefined> {
    const row = this.#database.prepare<[], Record<string, unknown>>(`SELECT * FROM ${STATE_TABLE}`).get();
    return row && stateFromRow(row);
  }

  async *lines(name: DatasetName, version: string): AsyncGenerator<string, void> {
    const columns = columnsIn(name, version);
    const select = `SELECT ${columns.map((column) => column.name).join(', ')} FROM ${name}`;
    const rows = this.#database.prepare<[], AnyRecord>(`${select} ORDER BY ${DATASETS[name].key.join(', ')}`).iterate();
    for (const row of rows) {
      yield JSON.stringify(
        Object.fromEntries(columns.map((column) => [column.name, published(column, row[column.name])])),
      );
    }
  }

  placeOf(name: DatasetName): string {
    return `table ${name}`;
  }

  async update({ events, dropsEvents, state, ...records }: Update): Promise<void> {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      await writeTables(records, {
        replace: async (name, path) => {
          this.#database.exec(`DELETE FROM ${name}`);
          await this.#insert(name, path);
        },
        remove: (name, path) => this.#delete(name, path),
        upsert: (name, path) => this.#insert(name, path),
      });
      if (dropsEvents) this.#database.exec(`DELETE FROM ${EVENTS_TABLE}`);
      if (events !== undefined) await this.#insertEvents(events);
      this.#database.exec(`DELETE FROM ${STATE_TABLE}`);
      const places = STATE_COLUMNS.map(() => '?').join(', ');
      this.#database.prepare(`INSERT INTO ${STATE_TABLE} VALUES (${places})`).run(stateValues(state));
      this.#database.exec('COMMIT');
    } catch (error) {
      if (this.#database.inTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#database.close();
  }

  #prepare(path: string): void {
    const tables = this.#database
      .prepare<[], { name: string }>(`SELECT lower(name) AS name FROM sqlite_schema WHERE type IN ('table', 'view')`)
      .all();
    assertNoOthers(
      tables.map(({ name }) => name),
      path,
    );
    const create = this.#database.transaction(() => {
      for (const name of DATASET_NAMES) {
        const columns = tableDefinition(DATASETS[name], ({ type }) => TYPES[type]);
        this.#database.exec(`CREATE TABLE IF NOT EXISTS ${name} (${columns}) STRICT, WITHOUT ROWID`);
        const present = this.#database
          .prepare<[], { name: string }>(`SELECT name FROM pragma_table_info('${name}')`)
          .all();
        for (const { name: column, type } of columnsToAdd(
          name,
          present.map((row) => row.name),
        )) {
          this.#database.exec(`ALTER TABLE ${name} ADD COLUMN ${column} ${TYPES[type]}`);
        }
      }
      for (const statement of CREATE_INDEXES) this.#database.exec(statement);
      this.#database.exec(`CREATE TABLE IF NOT EXISTS ${EVENTS_TABLE} (seq INTEGER NOT NULL, occurred_on TEXT NOT NULL,
        entity_type TEXT NOT NULL, entity_id TEXT NOT NULL, key TEXT NOT NULL, op TEXT NOT NULL, data TEXT,
        schema_version TEXT NOT NULL, PRIMARY KEY (${EVENTS_KEY.join(', ')})) STRICT, WITHOUT ROWID`);
      const state = STATE_COLUMNS.map((column) => `${column} TEXT`).join(', ');
      this.#database.exec(`CREATE TABLE IF NOT EXISTS ${STATE_TABLE} (${state}) STRICT`);
    });
    create.immediate();
  }

  async #insert(name: DatasetName, path: string): Promise<void> {
    const columns = columnsOf(name);
    const places = columns.map(() => '?').join(', ');
    const names = columns.map((column) => column.name).join(', ');
    const statement = this.#database.prepare(`INSERT OR REPLACE INTO ${name} (${names}) VALUES (${places})`);
    for await (const line of readLines(path)) {
      const record = parseRecord(line);
      statement.run(columns.map((column) => stored(record[column.name])));
    }
  }

  async #delete(name: DatasetName, path: string): Promise<void> {
    const { key } = DATASETS[name];
    const statement = this.#database.prepare(
      `DELETE FROM ${name} WHERE ${key.map((part) => `${part} = ?`).join(' AND ')}`,
    );
    for await (const line of readLines(path)) {
      const record = parseRecord(line);
      statement.run(key.map((part) => record[part]));
    }
  }

  async #insertEvents(path: string): Promise<void> {
    const places = EVENT_COLUMNS.map(() => '?').join(', ');
    const statement = this.#database.prepare(`INSERT OR REPLACE INTO ${EVENTS_TABLE} VALUES (${places})`);
    for await (const line of readLines(path)) {
      const event = parseRecord(line);
      statement.run(EVENT_COLUMNS.map((column) => stored(event[column])));
    }
  }
}

function openDatabase(path: string): SqliteDatabase.Database {
  try {
    const database = new SqliteDatabase(path);
    database.pragma('journal_mode = WAL');
    database.pragma('busy_timeout = 10000');
    return database;
  } catch (cause) {
    throw new AppError('usage', `${path} can't be opened with SQLite: ${messageFromError(cause)}`, { cause });
  }
}

/** A value as SQLite takes it: what has parts becomes JSON. */
function stored(value: unknown): unknown {
  if (value === undefined) return null;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}

/** A value as JSON has it; as it is where somebody put something else there. */
function published({ type }: Column, value: unknown): unknown {
  if (type !== 'text[]' || typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
