import type Sqlite from 'better-sqlite3';
import { PostgresAdapter, type RawBuilder, sql } from 'kysely';
import type pg from 'pg';
import type { Database } from './tables/tables.ts';

/**
 * The control database: what the service stores besides the published data, in SQLite or PostgreSQL. Commits survive
 * kill -9 and power loss. If the database is unreachable or slow, calls reject within the timeouts with the driver's
 * error (see `orUnavailable`); later calls retry.
 * To add a table: a row type in tables/, listed in `ControlTables`; a function in migrations/, listed in `MIGRATIONS`
 * (released migrations never change); its columns in database.contract.ts.
 * Transactions: `kysely.transaction()`. SQLite has one connection, so await nothing else inside, and begin with a
 * write: a transaction that began with a read can't write once another process has. Beside requests use
 * `writeTransaction`.
 * Differences between engines: `isPostgres`. For example, `for update skip locked` is for PostgreSQL only; SQLite has a
 * single writer. A frequent statement starts with its name, `/* usage-count *\/`, and never varies, so it is prepared
 * once (postgres-database.ts). Statements of every request bypass Kysely: statements.ts.
 */
export interface ControlDatabase {
  readonly kysely: Database;
  readonly engine: DatabaseEngine;
  /** Changes when another process has written, on engines where checking is free; otherwise constant. */
  readonly version: () => number;
  /** Finish pending work first. */
  close(): Promise<void>;
}

export type DatabaseEngine = SqliteEngine | PostgresEngine;

export interface SqliteEngine {
  readonly kind: 'sqlite';
  /** The only connection, shared with Kysely. Synchronous: statements block the event loop. */
  readonly connection: Sqlite.Database;
  /** Prepares a statement, cached by its text. */
  readonly prepare: (text: string) => Sqlite.Statement;
  /** Maximum wait for another process's write, in milliseconds. */
  readonly busyTimeoutMs: number;
  /** The part of it that blocks the event loop (`busy_timeout`). */
  readonly blockingTimeoutMs: number;
}

export interface PostgresEngine {
  readonly kind: 'postgres';
  /** Shared with Kysely; 64-bit integers are numbers. */
  readonly pool: pg.Pool;
}

export function isPostgres(database: Database): boolean {
  return database.getExecutor().adapter instanceof PostgresAdapter;
}

/**
 * A list as a table with a row per element. Column `value` is the element as JSON: `value->>0` is the first part of an
 * array, as text on PostgreSQL. Needs no alias. One parameter for all rows: building a statement with a parameter per
 * value takes longer than running it.
 */
export function jsonRows(database: Database, rows: readonly unknown[]): RawBuilder<unknown> {
  const text = JSON.stringify(rows);
  return isPostgres(database) ? sql`json_array_elements(cast(${text} as json)) as value` : sql`json_each(${text})`;
}
