import { setTimeout as sleep } from 'node:timers/promises';
import type { DuckDBConnection, DuckDBInstance, DuckDBValue } from '@duckdb/node-api';
import type { Dataset } from '../../schemas/datasets.ts';
import { registerJsonFunctions } from './json-functions.ts';
import { DUCKDB_TYPES, RECORD_MACROS } from './record-sql.ts';
import { type RowOf, type RowShape, rowReader, text } from './row-shape.ts';

export interface DuckDBLimits {
  /** For tables and buffers, such as `1GB`; beyond it DuckDB spills to `tempFolder`. */
  readonly memoryLimit: string;
  readonly threads: number;
}

export interface DuckDBSettings extends DuckDBLimits {
  /** Created when needed, removed by its owner. */
  readonly tempFolder: string;
}

/**
 * One DuckDB database with one connection. Queries run off the event loop, one at a time. Extensions are never fetched,
 * times are UTC, NULLs sort last.
 */
export class Database {
  readonly #instance: DuckDBInstance;
  readonly connection: DuckDBConnection;

  private constructor(instance: DuckDBInstance, connection: DuckDBConnection) {
    this.#instance = instance;
    this.connection = connection;
  }

  /** @param path `:memory:`, or a file, which one process at a time may hold */
  static async open(path: string, settings: DuckDBSettings): Promise<Database> {
    // Loaded when first needed: it takes 50 MB, and most processes that serve never open a database.
    const { DuckDBInstance: instances } = await import('@duckdb/node-api');
    const instance = await instances.create(path, {
      memory_limit: settings.memoryLimit,
      threads: String(settings.threads),
      temp_directory: settings.tempFolder,
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
      // It caches blocks by path and time, and would mix up two files written to one path within a tick.
      enable_external_file_cache: 'false',
    });
    const database = new Database(instance, await instance.connect());
    await database.run(`SET TimeZone = 'UTC'`);
    for (const macro of RECORD_MACROS) await database.run(macro);
    await registerJsonFunctions(database.connection);
    return database;
  }

  /** Resolves to the number of rows that the statement reports, as COPY and INSERT do. */
  async run(sql: string, parameters: readonly DuckDBValue[] = []): Promise<number> {
    const result = await this.connection.run(sql, given(parameters));
    return Number(result.rowsChanged);
  }

  /** Bytes of all tables, in memory and spilled. */
  async bytes(): Promise<number> {
    return bytesOf(this.connection);
  }

  /**
   * Runs a statement; interrupts it, and resolves to false, if the database grows by more than `bytesMax`. Polled every
   * {@link POLL_MS}, so it may exceed the limit briefly.
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

  /** Rejects with a TypeError if a column has another type than in the shape. */
  async rows<S extends RowShape>(
    shape: S,
    sql: string,
    parameters: readonly DuckDBValue[] = [],
  ): Promise<readonly RowOf<S>[]> {
    const reader = await this.connection.runAndReadAll(sql, given(parameters));
    return reader.getRowObjectsJson().map(rowReader(shape));
  }

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

/** With an array, even an empty one, the driver prepares the statement first: some 7 % of a small night's processor time. */
function given(parameters: readonly DuckDBValue[]): DuckDBValue[] | undefined {
  return parameters.length === 0 ? undefined : [...parameters];
}

/** Shorter: more time for polling. Longer: the database grows further beyond its limit. */
const POLL_MS = 50;

/** Polls until the database is too large (true) or the statement is over (false). */
async function watchGrowth(
  connection: DuckDBConnection,
  { bytesMax, isOver }: { readonly bytesMax: number; readonly isOver: AbortSignal },
): Promise<boolean> {
  while (!isOver.aborted) {
    await sleep(POLL_MS, undefined, { signal: isOver }).catch(() => undefined);
    if (!isOver.aborted && (await bytesOf(connection)) > bytesMax) return true;
  }
  return false;
}

/** Without buffers of readers: that of CSV alone takes 64 MiB. */
async function bytesOf(connection: DuckDBConnection): Promise<number> {
  const reader = await connection.runAndReadAll(
    `SELECT sum(memory_usage_bytes + temporary_storage_bytes)::DOUBLE FROM duckdb_memory()
     WHERE tag IN ('BASE_TABLE', 'IN_MEMORY_TABLE', 'OVERFLOW_STRINGS')`,
  );
  return Number(reader.value(0, 0));
}

/**
 * Writes a query's only column as lines, in order; resolves to their number. Without quote and escape DuckDB writes its
 * own JSON unchanged.
 */
export function writeLines(database: Database, select: string, path: string): Promise<number> {
  const format = `FORMAT csv, HEADER false, QUOTE '', ESCAPE '', DELIMITER E'\\n'`;
  return database.run(`COPY (${select}) TO ${sqlText(path)} (${format})`);
}

/** For the few places that take no parameter. */
export function sqlText(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}

export function sqlName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** The format of all Parquet files in the store; a rebuilt file must have the same bytes. */
export async function writeParquet(database: Database, select: string, path: string): Promise<void> {
  await database.run(`COPY (${select}) TO ${sqlText(path)} (FORMAT parquet, COMPRESSION zstd)`);
}

/**
 * A SELECT of a dataset's rows in Parquet files. Columns newer than a file are NULL (decision 0076).
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
