import { mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { SqliteUsage } from '../quota/sqlite-usage.ts';
import type { ControlDatabase, KeyRecord, KeySelector } from './control-database.ts';
import { orUnavailable, unavailable } from './database-errors.ts';
import { type KeyRow, keyQuery, keyRecordFromRow } from './key-query.ts';
import { migrateControlDatabase } from './migrate.ts';
import type { ControlTables } from './tables.ts';

export interface SqliteOptions {
  /** How long a write may wait for another process's; those of the command line take milliseconds. */
  readonly busyTimeoutMs: number;
  /**
   * How much of that may block this process; default: all. Usage always waits without blocking. Smaller: housekeeping beside
   * requests is put off sooner. Larger: a file that is locked holds up every request.
   */
  readonly blockingTimeoutMs?: number;
}

/** Attempts at opening while other processes do the same; each waits for the busy timeout by itself. */
const OPEN_ATTEMPTS_MAX = 20;

/**
 * The control database as a SQLite file: WAL, so that readers and the writer don't wait for each other, and full sync, so that
 * a commit is on the disk. One connection; nothing is awaited inside a transaction but the database itself.
 */
export class SqliteDatabase implements ControlDatabase {
  readonly kysely: Kysely<ControlTables>;
  readonly usage: SqliteUsage;
  readonly #database: Database.Database;
  readonly #byHash: Database.Statement<[string], KeyRow>;
  readonly #byId: Database.Statement<[string], KeyRow>;
  readonly #version: Database.Statement<[], number>;

  /** On a database that is migrated; see {@link SqliteDatabase.open}. */
  constructor(database: Database.Database, kysely: Kysely<ControlTables>, options: SqliteOptions) {
    this.#database = database;
    this.kysely = kysely;
    this.usage = new SqliteUsage(database, {
      busyTimeoutMs: options.busyTimeoutMs,
      blockingTimeoutMs: blockingTimeoutOf(options),
    });
    this.#byHash = database.prepare(keyQuery('k.hash = ?'));
    this.#byId = database.prepare(keyQuery('k.id = ?'));
    this.#version = database.prepare<[], number>('pragma data_version').pluck();
  }

  /** Opens the file, making it and its folder where they are not there, and brings it up to this version. */
  static async open(path: string, options: SqliteOptions): Promise<SqliteDatabase> {
    try {
      await mkdir(dirname(resolve(path)), { recursive: true });
      return await withPatience(() => openNow(path, options));
    } catch (error) {
      throw unavailable(error, `the control database ${path} can't be opened`);
    }
  }

  findKey(by: KeySelector): Promise<KeyRecord | undefined> {
    return orUnavailable(async () => {
      const row = 'hash' in by ? this.#byHash.get(by.hash) : this.#byId.get(by.id);
      return row === undefined ? undefined : keyRecordFromRow(row);
    });
  }

  /** Changes with the first look after another connection's commit. */
  version(): number {
    try {
      return this.#version.get() ?? 0;
    } catch (error) {
      throw unavailable(error);
    }
  }

  async close(): Promise<void> {
    this.#database.close();
  }
}

function blockingTimeoutOf({ busyTimeoutMs, blockingTimeoutMs = busyTimeoutMs }: SqliteOptions): number {
  return Math.min(busyTimeoutMs, blockingTimeoutMs);
}

async function openNow(path: string, options: SqliteOptions): Promise<SqliteDatabase> {
  const database = new Database(path, { timeout: options.busyTimeoutMs });
  try {
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = FULL');
    database.pragma('foreign_keys = ON');
    const kysely = new Kysely<ControlTables>({ dialect: new SqliteDialect({ database }) });
    // Kysely has no lock for SQLite: this transaction around all its steps is one.
    database.exec('BEGIN IMMEDIATE');
    await migrateControlDatabase(kysely, `sqlite:${path}`);
    database.exec('COMMIT');
    database.pragma(`busy_timeout = ${blockingTimeoutOf(options)}`);
    return new SqliteDatabase(database, kysely, options);
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Processes that make a new file at once can find it busy in ways for which SQLite doesn't wait. */
async function withPatience<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const isBusy = error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');
      if (!isBusy || attempt === OPEN_ATTEMPTS_MAX) throw error;
      await sleep(10 * attempt);
    }
  }
}
