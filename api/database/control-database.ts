import type Sqlite from 'better-sqlite3';
import { PostgresAdapter, type RawBuilder, sql } from 'kysely';
import type pg from 'pg';
import type { Database } from './tables/tables.ts';

/**
 * The control database: what the service has to remember beside the published data, in SQLite or in PostgreSQL. This folder opens
 * it, brings it up to date and says what its tables are; the rules about their rows belong to the folders that use them.
 *
 * What holds on both engines:
 * - What was committed survives kill -9 and a power cut.
 * - Where the database can't be reached or is too slow, calls reject within the timeouts, with the driver's error, which
 *   `orUnavailable` (database-errors.ts) turns into `unavailable`. The process goes on, and later calls try again.
 *
 * To add a table:
 * 1. a row type in tables/, and the table's name in the interface of its file, which `ControlTables` extends;
 * 2. a function in migrations/ that makes it on both engines, and its line in `MIGRATIONS` (migrate.ts). A migration that was
 *    released is never changed: a later one changes what it made;
 * 3. its columns in database.contract.ts, which holds the two together.
 *
 * To change several rows together use `kysely.transaction()`. Between its statements await nothing but the database: on SQLite
 * there is one connection, so everybody else waits, and what is run on `engine.connection` meanwhile becomes a part of the
 * transaction. Begin with a write: on SQLite a transaction that began with a read can't write any more, however long it waits,
 * once another process has written. `writeTransaction` (write-transaction.ts) begins with the lock, and waits for it beside requests.
 *
 * Where the engines differ ask `isPostgres`. So `for update skip locked`, by which several processes share out rows, is
 * for PostgreSQL only: SQLite doesn't know it, and its one writer at a time doesn't need it. A statement that runs often begins
 * with its name, `/* usage-count *\/`, and has always the same text: so it is prepared once (postgres-database.ts). Those that every
 * request needs don't go through Kysely at all: statements.ts.
 */
export interface ControlDatabase {
  readonly kysely: Database;
  /** For prepared statements where every request asks, and for what only one of the engines can do. */
  readonly engine: DatabaseEngine;
  /** A number that changes when another process has written, where that costs nothing to know; else always the same. */
  readonly version: () => number;
  /** Closes the connections. Finish what is under way first. */
  close(): Promise<void>;
}

export type DatabaseEngine = SqliteEngine | PostgresEngine;

export interface SqliteEngine {
  readonly kind: 'sqlite';
  /** The only connection of this process, which Kysely uses as well. Synchronous: a statement holds up the event loop. */
  readonly connection: Sqlite.Database;
  /** A statement of the connection, which stays prepared for whoever asks for its text again. */
  readonly prepare: (text: string) => Sqlite.Statement;
  /** How long a write may wait for another process's, in milliseconds. */
  readonly busyTimeoutMs: number;
  /** How much of that SQLite itself waits, which holds up the event loop; set as `busy_timeout` on the connection. */
  readonly blockingTimeoutMs: number;
}

export interface PostgresEngine {
  readonly kind: 'postgres';
  /** Shared with Kysely; its statements have the timeouts of `PostgresOptions`, and 64-bit integers arrive as numbers. */
  readonly pool: pg.Pool;
}

/** Where the two engines differ in a statement. */
export function isPostgres(database: Database): boolean {
  return database.getExecutor().adapter instanceof PostgresAdapter;
}

/**
 * A list as a table with one row per element, whose column `value` is the element as JSON: `value->>0` is the first part of an array, as
 * text on PostgreSQL. It needs no alias. Many rows travel in one parameter so: with a parameter per value, a statement takes longer to put
 * together than to run.
 */
export function jsonRows(database: Database, rows: readonly unknown[]): RawBuilder<unknown> {
  const text = JSON.stringify(rows);
  return isPostgres(database) ? sql`json_array_elements(cast(${text} as json)) as value` : sql`json_each(${text})`;
}
