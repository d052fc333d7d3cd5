import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { AppError, messageFromError } from '../../../runtime/errors.ts';
import { type ColumnType, DATASETS, type DatasetName } from '../../../schemas/datasets.ts';
import { columnsIn, columnsOf, type Dialect, EVENT_COLUMNS, EVENTS_KEY, EVENTS_TABLE, TablesCopy } from './tables.ts';

const TYPES: Readonly<Record<ColumnType, string>> = {
  id: 'VARCHAR',
  text: 'VARCHAR',
  'text[]': 'VARCHAR[]',
  double: 'DOUBLE',
  integer: 'INTEGER',
  bigint: 'BIGINT',
  boolean: 'BOOLEAN',
  date: 'DATE',
  timestamp: 'TIMESTAMP',
  rates: 'JSON',
  modalities: 'JSON',
};

const DIALECT: Dialect = {
  types: TYPES,
  tablesSql: `SELECT lower(table_name) AS name FROM information_schema.tables
    WHERE table_catalog = current_database() AND table_schema = 'main'`,
  columnsSql: `SELECT lower(table_name) AS table_name, lower(column_name) AS column_name FROM information_schema.columns
    WHERE table_catalog = current_database() AND table_schema = 'main'`,
  events: `seq BIGINT NOT NULL, occurred_on DATE NOT NULL, entity_type VARCHAR NOT NULL,
    entity_id VARCHAR NOT NULL, key JSON NOT NULL, op VARCHAR NOT NULL, data JSON, schema_version VARCHAR NOT NULL,
    PRIMARY KEY (${EVENTS_KEY.join(', ')})`,
  indexes: [],
  begin: 'BEGIN TRANSACTION',
  placeOf: (number) => `$${number}`,
};

export interface DuckDBOptions {
  /** For tables and buffers, such as `1GB`. */
  readonly memoryLimit: string;
  readonly threads: number;
}

export class DuckDBCopy extends TablesCopy {
  readonly #instance: DuckDBInstance;
  readonly #connection: DuckDBConnection;

  private constructor(instance: DuckDBInstance, connection: DuckDBConnection) {
    super(DIALECT);
    this.#instance = instance;
    this.#connection = connection;
  }

  /** Rejects with `usage` for another file, `unavailable` if another process uses it. */
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
      await copy.run(`SET TimeZone = 'UTC'`);
      await copy.prepare(path);
      return copy;
    } catch (error) {
      await copy.close();
      throw error;
    }
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

  async close(): Promise<void> {
    this.#connection.closeSync();
    this.#instance.closeSync();
  }

  protected async run(sql: string, values: readonly (string | null)[] = []): Promise<void> {
    await this.#connection.run(sql, [...values]);
  }

  protected async rows(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const reader = await this.#connection.runAndReadAll(sql);
    return reader.getRowObjectsJS();
  }

  protected async replace(name: DatasetName, path: string): Promise<void> {
    // Deleting and inserting the same keys in one transaction takes DuckDB quadratic time.
    await this.run(`DROP TABLE ${name}`);
    await this.run(`CREATE TABLE ${name} (${this.definitionOf(name)})`);
    await this.run(`INSERT INTO ${name} BY NAME ${selectSql(name, path)}`);
  }

  protected remove(name: DatasetName, path: string): Promise<void> {
    return this.run(deleteSql(name, path));
  }

  protected upsert(name: DatasetName, path: string): Promise<void> {
    return this.run(`INSERT OR REPLACE INTO ${name} BY NAME ${selectSql(name, path)}`);
  }

  protected addEvents(path: string): Promise<void> {
    return this.run(`INSERT OR REPLACE INTO ${EVENTS_TABLE} ${eventsSql(path)}`);
  }
}

/**
 * A line as consecutive expressions: JSON text where DuckDB writes it as published, else numbers. Few large columns are
 * read much faster than many.
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
  boolean: (name) => `CAST(${name} AS VARCHAR)`,
  date: (name) => `'"' || ${name} || '"'`,
  timestamp: (name) =>
    `CASE WHEN epoch_us(${name}) % 1000000 = 0 THEN strftime(${name}, '"%Y-%m-%dT%H:%M:%SZ"')
     ELSE strftime(${name}, '"%Y-%m-%dT%H:%M:%S.%gZ"') END`,
  rates: (name) => `CAST(${name} AS VARCHAR)`,
  modalities: (name) => `CAST(${name} AS VARCHAR)`,
};

/** Date-times are read as text, since DuckDB guesses their format otherwise. */
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
