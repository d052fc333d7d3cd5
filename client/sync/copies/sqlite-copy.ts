import SqliteDatabase from 'better-sqlite3';
import { AppError, messageFromError } from '../../../runtime/errors.ts';
import { type Column, DATASETS, type DatasetName } from '../../../schemas/datasets.ts';
import { isJsonType } from '../../../schemas/json-columns.ts';
import { type AnyRecord, parseRecord, readLines } from '../json-lines.ts';
import {
  CREATE_INDEXES,
  columnsIn,
  columnsOf,
  type Dialect,
  EVENT_COLUMNS,
  EVENTS_KEY,
  EVENTS_TABLE,
  lineFrom,
  STATE_TABLE,
  TablesCopy,
} from './tables.ts';

/** Dates and date-times are text as published, lists and objects JSON; true is 1. */
const DIALECT: Dialect = {
  types: {
    id: 'TEXT',
    text: 'TEXT',
    'text[]': 'TEXT',
    double: 'REAL',
    integer: 'INTEGER',
    bigint: 'INTEGER',
    boolean: 'INTEGER',
    date: 'TEXT',
    timestamp: 'TEXT',
    rates: 'TEXT',
    modalities: 'TEXT',
  },
  tablesSql: `SELECT lower(name) AS name FROM sqlite_schema WHERE type IN ('table', 'view')`,
  columnsSql: `SELECT t.name AS table_name, c.name AS column_name FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table'`,
  events: `seq INTEGER NOT NULL, occurred_on TEXT NOT NULL, entity_type TEXT NOT NULL, entity_id TEXT NOT NULL, key TEXT NOT NULL,
    op TEXT NOT NULL, data TEXT, schema_version TEXT NOT NULL, PRIMARY KEY (${EVENTS_KEY.join(', ')})`,
  optionsOf: (table) => (table === STATE_TABLE ? ' STRICT' : ' STRICT, WITHOUT ROWID'),
  indexes: CREATE_INDEXES,
  begin: 'BEGIN IMMEDIATE',
  placeOf: () => '?',
};

/** A copy in an SQLite file, readable during updates. */
export class SqliteCopy extends TablesCopy {
  readonly #database: SqliteDatabase.Database;

  private constructor(database: SqliteDatabase.Database) {
    super(DIALECT);
    this.#database = database;
  }

  static async open(path: string): Promise<SqliteCopy> {
    const copy = new SqliteCopy(openDatabase(path));
    try {
      await copy.prepare(path);
      return copy;
    } catch (error) {
      await copy.close();
      throw error;
    }
  }

  async *lines(name: DatasetName, version: string): AsyncGenerator<string, void> {
    const columns = columnsIn(name, version);
    const select = `SELECT ${columns.map((column) => column.name).join(', ')} FROM ${name}`;
    const rows = this.#database.prepare<[], AnyRecord>(`${select} ORDER BY ${DATASETS[name].key.join(', ')}`).iterate();
    for (const row of rows) yield lineFrom(columns, row, published);
  }

  async close(): Promise<void> {
    this.#database.close();
  }

  protected async run(sql: string, values: readonly (string | null)[] = []): Promise<void> {
    this.#database.prepare(sql).run([...values]);
  }

  protected async rows(sql: string): Promise<readonly AnyRecord[]> {
    return this.#database.prepare<[], AnyRecord>(sql).all();
  }

  protected async replace(name: DatasetName, path: string): Promise<void> {
    await this.run(`DELETE FROM ${name}`);
    await this.upsert(name, path);
  }

  protected async upsert(name: DatasetName, path: string): Promise<void> {
    const columns = columnsOf(name);
    const places = columns.map(() => '?').join(', ');
    const names = columns.map((column) => column.name).join(', ');
    const statement = this.#database.prepare(`INSERT OR REPLACE INTO ${name} (${names}) VALUES (${places})`);
    for await (const line of readLines(path)) {
      const record = parseRecord(line);
      statement.run(columns.map((column) => stored(record[column.name])));
    }
  }

  protected async remove(name: DatasetName, path: string): Promise<void> {
    const { key } = DATASETS[name];
    const statement = this.#database.prepare(
      `DELETE FROM ${name} WHERE ${key.map((part) => `${part} = ?`).join(' AND ')}`,
    );
    for await (const line of readLines(path)) {
      const record = parseRecord(line);
      statement.run(key.map((part) => record[part]));
    }
  }

  protected async addEvents(path: string): Promise<void> {
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

function stored(value: unknown): unknown {
  if (value === undefined) return null;
  if (typeof value === 'boolean') return Number(value);
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}

/** Unchanged if others wrote it. */
function published({ type }: Column, value: unknown): unknown {
  if (type === 'boolean' && (value === 0 || value === 1)) return value === 1;
  if (!(type === 'text[]' || isJsonType(type)) || typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
