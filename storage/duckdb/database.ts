import { type DuckDBConnection, DuckDBInstance, type DuckDBValue } from '@duckdb/node-api';
import { RECORD_MACROS } from './record-sql.ts';

export interface DuckDBSettings {
  /** DuckDB's own limit for tables and buffers, such as `1GB`; beyond it DuckDB spills to `tempFolder`. */
  readonly memoryLimit: string;
  readonly threads: number;
  /** Where DuckDB spills; made when needed, removed by whoever owns it. */
  readonly tempFolder: string;
}

export type Row = Record<string, unknown>;

/**
 * One DuckDB database and one connection to it. Queries run off the event loop, one after the other.
 * Extensions are never fetched, times are UTC, and NULLs sort last.
 */
export class Database {
  readonly #instance: DuckDBInstance;
  readonly connection: DuckDBConnection;

  private constructor(instance: DuckDBInstance, connection: DuckDBConnection) {
    this.#instance = instance;
    this.connection = connection;
  }

  /** Opens a database; `:memory:` or a file's path, which one process at a time may hold. */
  static async open(path: string, settings: DuckDBSettings): Promise<Database> {
    const instance = await DuckDBInstance.create(path, {
      memory_limit: settings.memoryLimit,
      threads: String(settings.threads),
      temp_directory: settings.tempFolder,
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
      // Keeps blocks of files by name and time: two files written to one path within a tick would be mixed up.
      enable_external_file_cache: 'false',
    });
    const connection = await instance.connect();
    const database = new Database(instance, connection);
    await database.run(`SET TimeZone = 'UTC'`);
    for (const macro of RECORD_MACROS) await database.run(macro);
    return database;
  }

  /** Runs one statement; resolves to the number of rows it reports, as COPY and INSERT do. */
  async run(sql: string, parameters: readonly DuckDBValue[] = []): Promise<number> {
    const result = await this.connection.run(sql, [...parameters]);
    return Number(result.rowsChanged);
  }

  /** All rows as objects. BIGINT and DECIMAL come as text: cast in SQL where a number is wanted. */
  async rows(sql: string, parameters: readonly DuckDBValue[] = []): Promise<readonly Row[]> {
    const reader = await this.connection.runAndReadAll(sql, [...parameters]);
    return reader.getRowObjectsJson();
  }

  /** The one row of a query that has exactly one. */
  async row(sql: string, parameters: readonly DuckDBValue[] = []): Promise<Row> {
    const [row, ...more] = await this.rows(sql, parameters);
    if (row === undefined || more.length > 0) throw new Error(`expected one row from: ${sql}`);
    return row;
  }

  close(): void {
    this.connection.closeSync();
    this.#instance.closeSync();
  }
}

/** A text as an SQL literal, for the few places that take no parameter. */
export function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A name as an SQL identifier. */
export function sqlName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
