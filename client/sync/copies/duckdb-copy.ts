import { type DuckDBConnection, DuckDBInstance, type DuckDBValue } from '@duckdb/node-api';
import { AppError, messageFromError } from '../../../runtime/errors.ts';
import { type ColumnType, DATASET_NAMES, DATASETS, type DatasetName } from '../../../schemas/datasets.ts';
import type { Copy, SyncState, Update } from '../copy.ts';
import {
  assertNoOthers,
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

const TYPES: Readonly<Record<ColumnType, string>> = {
  id: 'VARCHAR',
  text: 'VARCHAR',
  'text[]': 'VARCHAR[]',
  double: 'DOUBLE',
  integer: 'INTEGER',
  bigint: 'BIGINT',
  date: 'DATE',
  timestamp: 'TIMESTAMP',
};

export interface DuckDBOptions {
  /** DuckDB's own limit for tables and buffers, such as `1GB`. */
  readonly memoryLimit: string;
  readonly threads: number;
}

/** A copy in a DuckDB file. Times are UTC. */
export class DuckDBCopy implements Copy {
  readonly isVerbatim = false;
  readonly batchEvents = 20_000;
  readonly #instance: DuckDBInstance;
  readonly #connection: DuckDBConnection;

  private constructor(instance: DuckDBInstance, connection: DuckDBConnection) {
    this.#instance = instance;
    this.#connection = connection;
  }

  /** Rejects with `usage` where the file is something else, or in another process's hands. */
  static async open(path: string, { memoryLimit, threads }: DuckDBOptions): Promise<DuckDBCopy> {
    const instance = await DuckDBInstance.create(path, {
      memory_limit: memoryLimit,
      threads: String(threads),
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
    }).catch((cause: unknown) => {
      const isInUse = /Could not set lock/.test(messageFromError(cause));
      throw new AppError(
        isInUse ? 'unavailable' : 'usage',
        `${path} can't be opened with DuckDB: ${messageFromError(cause)}`,
        { cause },
      );
    });
    const copy = new DuckDBCopy(instance, await instance.connect());
    try {
      await copy.#prepare(path);
      return copy;
    } catch (error) {
      await copy.close();
      throw error;
    }
  }

  async state(): Promise<SyncState | undefined> {
    const [row] = await this.#rows(`SELECT * FROM ${STATE_TABLE}`);
    return row && stateFromRow(row);
  }

  async *lines(name: DatasetName, version: string): AsyncGenerator<string, void> {
    const { key } = DATASETS[name];
    const result = await this.#connection.stream(
      `SELECT ${lineParts(name, version).join(', ')} FROM ${name} ORDER BY ${key.join(', ')}`,
    );
    for await (const rows of result.yieldRowsJs()) {
      for (const row of rows)
        yield row.map((part) => (typeof part === 'string' ? part : JSON.stringify(part))).join('');
    }
  }

  placeOf(name: DatasetName): string {
    return `table ${name}`;
  }

  async update({ events, dropsEvents, state, ...records }: Update): Promise<void> {
    await this.#connection.run('BEGIN TRANSACTION');
    try {
      await writeTables(records, {
        replace: async (name, path) => {
          // Deleting and inserting the same keys in one transaction takes DuckDB a time that grows with their square.
          await this.#connection.run(`DROP TABLE ${name}`);
          await this.#connection.run(`CREATE TABLE ${name} (${definitionOf(name)})`);
          await this.#connection.run(`INSERT INTO ${name} BY NAME ${selectSql(name, path)}`);
        },
        remove: async (name, path) => void (await this.#connection.run(deleteSql(name, path))),
        upsert: async (name, path) =>
          void (await this.#connection.run(`INSERT OR REPLACE INTO ${name} BY NAME ${selectSql(name, path)}`)),
      });
      if (dropsEvents) await this.#connection.run(`DELETE FROM ${EVENTS_TABLE}`);
      if (events !== undefined)
        await this.#connection.run(`INSERT OR REPLACE INTO ${EVENTS_TABLE} ${eventsSql(events)}`);
      await this.#connection.run(`DELETE FROM ${STATE_TABLE}`);
      const places = STATE_COLUMNS.map((_, index) => `$${index + 1}`).join(', ');
      const values: DuckDBValue[] = stateValues(state);
      await this.#connection.run(`INSERT INTO ${STATE_TABLE} VALUES (${places})`, values);
      await this.#connection.run('COMMIT');
    } catch (error) {
      await this.#connection.run('ROLLBACK').catch(() => undefined);
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#connection.closeSync();
    this.#instance.closeSync();
  }

  async #prepare(path: string): Promise<void> {
    await this.#connection.run(`SET TimeZone = 'UTC'`);
    const tables = await this.#rows(
      `SELECT lower(table_name) AS table_name FROM information_schema.tables
       WHERE table_catalog = current_database() AND table_schema = 'main'`,
    );
    assertNoOthers(
      tables.map(({ table_name: name }) => String(name)),
      path,
    );
    const definitions = DATASET_NAMES.map((name) => [name, definitionOf(name)] as const);
    const state = STATE_COLUMNS.map((column) => `${column} VARCHAR`).join(', ');
    await this.#connection.run('BEGIN TRANSACTION');
    for (const [name, columns] of [...definitions, [EVENTS_TABLE, EVENT_DEFINITION], [STATE_TABLE, state]] as const) {
      await this.#connection.run(`CREATE TABLE IF NOT EXISTS ${name} (${columns})`);
    }
    for (const name of DATASET_NAMES) {
      const present = await this.#rows(`SELECT column_name FROM (DESCRIBE ${name})`);
      for (const { name: column, type } of columnsToAdd(
        name,
        present.map((row) => String(row['column_name'])),
      )) {
        await this.#connection.run(`ALTER TABLE ${name} ADD COLUMN ${column} ${TYPES[type]}`);
      }
    }
    await this.#connection.run('COMMIT');
  }

  async #rows(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const reader = await this.#connection.runAndReadAll(sql);
    return reader.getRowObjectsJS();
  }
}

const EVENT_DEFINITION = `seq BIGINT NOT NULL, occurred_on DATE NOT NULL, entity_type VARCHAR NOT NULL,
  entity_id VARCHAR NOT NULL, key JSON NOT NULL, op VARCHAR NOT NULL, data JSON, schema_version VARCHAR NOT NULL,
  PRIMARY KEY (${EVENTS_KEY.join(', ')})`;

/**
 * A line as expressions, one behind the other: JSON text where DuckDB writes it as it was published, and numbers where it doesn't.
 * Many columns in one text are read much faster than each by itself.
 */
function lineParts(name: DatasetName, version: string): readonly string[] {
  const parts: string[] = [];
  let text: string[] = [];
  for (const [index, { name: column, type }] of columnsIn(name, version).entries()) {
    text.push(`'${index === 0 ? '{' : ','}"${column}":'`);
    if (type === 'double') {
      parts.push(`concat(${text.join(', ')})`, column);
      text = [];
    } else {
      text.push(`coalesce(${JSON_SQL[type](column)}, 'null')`);
    }
  }
  return [...parts, `concat(${[...text, "'}'"].join(', ')})`];
}

const JSON_SQL: Readonly<Record<Exclude<ColumnType, 'double'>, (name: string) => string>> = {
  id: (name) => `CAST(to_json(${name}) AS VARCHAR)`,
  text: (name) => `CAST(to_json(${name}) AS VARCHAR)`,
  'text[]': (name) => `CAST(to_json(${name}) AS VARCHAR)`,
  integer: (name) => `CAST(${name} AS VARCHAR)`,
  bigint: (name) => `CAST(${name} AS VARCHAR)`,
  date: (name) => `'"' || ${name} || '"'`,
  timestamp: (name) =>
    `CASE WHEN epoch_us(${name}) % 1000000 = 0 THEN strftime(${name}, '"%Y-%m-%dT%H:%M:%SZ"')
     ELSE strftime(${name}, '"%Y-%m-%dT%H:%M:%S.%gZ"') END`,
};

function definitionOf(name: DatasetName): string {
  return tableDefinition(DATASETS[name], ({ type }) => TYPES[type]);
}

/** Rows from a file of records. Date-times are read as text first: DuckDB guesses their format otherwise. */
function selectSql(name: DatasetName, path: string): string {
  const columns = columnsOf(name);
  const selected = columns.map(({ name: column, type }) => `CAST(${column} AS ${TYPES[type]}) AS ${column}`);
  const read = columns.map(
    ({ name: column, type }) => [column, type === 'timestamp' ? 'VARCHAR' : TYPES[type]] as const,
  );
  return `SELECT ${selected.join(', ')} FROM ${readJsonSql(path, read)}`;
}

function deleteSql(name: DatasetName, path: string): string {
  const { key } = DATASETS[name];
  const keys = readJsonSql(
    path,
    key.map((part) => [part, 'VARCHAR'] as const),
  );
  return `DELETE FROM ${name} USING ${keys} gone WHERE ${key.map((part) => `${name}.${part} = gone.${part}`).join(' AND ')}`;
}

function eventsSql(path: string): string {
  const types: Readonly<Partial<Record<(typeof EVENT_COLUMNS)[number], string>>> = {
    seq: 'BIGINT',
    occurred_on: 'DATE',
    key: 'JSON',
    data: 'JSON',
  };
  const read = EVENT_COLUMNS.map((column) => [column, types[column] ?? 'VARCHAR'] as const);
  return `SELECT ${EVENT_COLUMNS.join(', ')} FROM ${readJsonSql(path, read)}`;
}

function readJsonSql(path: string, columns: readonly (readonly [name: string, type: string])[]): string {
  const types = columns.map(([name, type]) => `${name}: '${type}'`).join(', ');
  return `read_json('${path.replaceAll("'", "''")}', format = 'newline_delimited', columns = {${types}})`;
}
