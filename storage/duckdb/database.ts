import { setTimeout as sleep } from 'node:timers/promises';
import { type DuckDBConnection, DuckDBInstance, type DuckDBValue } from '@duckdb/node-api';
import type { Dataset } from '../../schemas/datasets.ts';
import { DUCKDB_TYPES, RECORD_MACROS } from './record-sql.ts';
import { type RowOf, type RowShape, rowReader, text } from './row-shape.ts';

/** What DuckDB may use of the machine. */
export interface DuckDBLimits {
  /** DuckDB's own limit for tables and buffers, such as `1GB`; beyond it DuckDB spills to `tempFolder`. */
  readonly memoryLimit: string;
  readonly threads: number;
}

export interface DuckDBSettings extends DuckDBLimits {
  /** Where DuckDB spills; made when needed, removed by whoever owns it. */
  readonly tempFolder: string;
}

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

  /** What the rows of all tables take, in memory and spilled. */
  async bytes(): Promise<number> {
    return bytesOf(this.connection);
  }

  /**
   * Runs one statement by which the database may grow; false, and interrupted, where it grows by more. It is looked at while it
   * runs, every {@link LOOK_MS}, so it may be found a little late.
   */
  async runWithin(
    sql: string,
    { parameters, bytesMax }: { readonly parameters: readonly DuckDBValue[]; readonly bytesMax: number },
  ): Promise<boolean> {
    const beside = await this.#instance.connect();
    const before = await bytesOf(beside);
    const isOver = new AbortController();
    const watch = watchGrowth(beside, { bytesMax: before + bytesMax, isOver: isOver.signal });
    const interrupted = watch.then((isTooLarge) => {
      if (isTooLarge) this.connection.interrupt();
      return isTooLarge;
    });
    try {
      await this.run(sql, parameters);
      return true;
    } catch (error) {
      isOver.abort();
      if (await interrupted) return false;
      throw error;
    } finally {
      isOver.abort();
      await interrupted;
      beside.closeSync();
    }
  }

  /** All rows of a query, each with the columns of the shape; rejects with a TypeError where one has another type. */
  async rows<S extends RowShape>(
    shape: S,
    sql: string,
    parameters: readonly DuckDBValue[] = [],
  ): Promise<readonly RowOf<S>[]> {
    const reader = await this.connection.runAndReadAll(sql, [...parameters]);
    return reader.getRowObjectsJson().map(rowReader(shape));
  }

  /** The one row of a query that has exactly one. */
  async row<S extends RowShape>(shape: S, sql: string, parameters: readonly DuckDBValue[] = []): Promise<RowOf<S>> {
    const [row, ...more] = await this.rows(shape, sql, parameters);
    if (row === undefined || more.length > 0) throw new Error(`expected one row from: ${sql}`);
    return row;
  }

  close(): void {
    this.connection.closeSync();
    this.#instance.closeSync();
  }
}

/** Between two looks at a statement that may grow: shorter costs time, longer lets it grow further. */
const LOOK_MS = 50;

/** Looks at a database through a connection of its own until it is too large (true) or nobody asks any more (false). */
async function watchGrowth(
  connection: DuckDBConnection,
  { bytesMax, isOver }: { readonly bytesMax: number; readonly isOver: AbortSignal },
): Promise<boolean> {
  while (!isOver.aborted) {
    await sleep(LOOK_MS, undefined, { signal: isOver }).catch(() => undefined);
    if (!isOver.aborted && (await bytesOf(connection)) > bytesMax) return true;
  }
  return false;
}

/** Buffers of readers aren't counted: that of CSV alone takes 64 MiB. */
async function bytesOf(connection: DuckDBConnection): Promise<number> {
  const reader = await connection.runAndReadAll(
    `SELECT sum(memory_usage_bytes + temporary_storage_bytes)::DOUBLE FROM duckdb_memory()
     WHERE tag IN ('BASE_TABLE', 'IN_MEMORY_TABLE', 'OVERFLOW_STRINGS')`,
  );
  return Number(reader.value(0, 0));
}

/**
 * Writes a query's one text column, a line a row, in the query's order; resolves to the number of lines. With neither a
 * quote nor an escape, DuckDB doesn't look for characters to quote; as DuckDB's own JSON is written.
 */
export function writeLines(database: Database, select: string, path: string): Promise<number> {
  const format = `FORMAT csv, HEADER false, QUOTE '', ESCAPE '', DELIMITER E'\\n'`;
  return database.run(`COPY (${select}) TO ${sqlText(path)} (${format})`);
}

/** A text as an SQL literal, for the few places that take no parameter. */
export function sqlText(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}

/** A name as an SQL identifier. */
export function sqlName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Writes a relation as every Parquet file of the store is written; what is rebuilt has to come out the same, byte for byte. */
export async function writeParquet(database: Database, select: string, path: string): Promise<void> {
  await database.run(`COPY (${select}) TO ${sqlText(path)} (FORMAT parquet, COMPRESSION zstd)`);
}

/**
 * A SELECT of all rows of a state of a dataset, in their order, or of several files of its history, with all columns of the files. A
 * column that came with a later version of the records than a file is of is NULL (decision 0076).
 *
 * @param path of the local Parquet file, or of several
 * @param options of `read_parquet`, such as `file_row_number = true`
 */
export async function recordsSql(
  database: Database,
  { columns }: Dataset,
  path: string | readonly string[],
  ...options: readonly string[]
): Promise<string> {
  const files = typeof path === 'string' ? sqlText(path) : `[${path.map(sqlText).join(', ')}], union_by_name = true`;
  const read = `read_parquet(${[files, ...options].join(', ')})`;
  const described = await database.rows({ column_name: text }, `SELECT column_name FROM (DESCRIBE FROM ${read})`);
  const missing = columns.filter(({ name }) => !described.some((column) => column.column_name === name));
  return `SELECT ${['*', ...missing.map(({ name, type }) => `NULL::${DUCKDB_TYPES[type]} AS ${name}`)].join(', ')} FROM ${read}`;
}
