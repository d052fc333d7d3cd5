import { chmod, mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { Kysely, type SqliteDatabase, SqliteDialect, type SqliteStatement } from 'kysely';
import type { ControlDatabase } from './control-database.ts';
import { isSqliteBusy, openingErrorFrom, unavailable } from './database-errors.ts';
import { migrateControlDatabase } from './migrate.ts';
import { FILE_MODE, makeNewFile, placeOfMissing, refuseUnreadable } from './sqlite-file.ts';
import type { ControlTables } from './tables/tables.ts';

export interface SqliteOptions {
  /** How long a write may wait for another process's; those of the command line take milliseconds. */
  readonly busyTimeoutMs: number;
  /**
   * How much of that may block this process; default: all. Usage always waits without blocking. Smaller: housekeeping beside
   * requests is put off sooner. Larger: a file that is locked holds up every request.
   */
  readonly blockingTimeoutMs?: number;
}

export const SQLITE_OPTIONS: SqliteOptions = { busyTimeoutMs: 2_000 };

/** Attempts at opening while other processes do the same; each waits for the busy timeout by itself. */
const OPEN_ATTEMPTS_MAX = 20;

/**
 * Opens the control database in a SQLite file, making the file and its folder where they are not there: WAL, so that readers and
 * the writer don't wait for each other, and full sync, so that a commit is on the disk. One connection.
 */
export async function openSqliteDatabase(path: string, options: SqliteOptions): Promise<ControlDatabase> {
  try {
    await mkdir(dirname(resolve(path)), { recursive: true, mode: 0o700 });
    await makeFile(path);
    const database = await retryWhileBusy(() => openNow(path, options));
    await tighten(path);
    return database;
  } catch (error) {
    throw openingErrorFrom(error, path);
  }
}

/** Nobody but this user reads keys' hashes and secrets, whatever the umask. SQLite gives the files beside it the same mode. */
async function makeFile(path: string): Promise<void> {
  if (path === ':memory:') return;
  await makeUnlessThere(path);
  await refuseUnreadable(path).catch(async (error: unknown) => {
    if (!isFileError(error, 'ENOENT')) throw error;
    await makeUnlessThere(await placeOfMissing(path)); // A link to nothing: SQLite alone would let others read what it makes there.
  });
}

async function makeUnlessThere(path: string): Promise<void> {
  await makeNewFile(path).catch((error: unknown) => {
    if (!isFileError(error, 'EEXIST')) throw error;
  });
}

/** Narrows the mode of what was made before, now that it has proven to be ours. Files of another user stay as they are. */
async function tighten(path: string): Promise<void> {
  if (path === ':memory:') return;
  for (const file of [path, `${path}-wal`, `${path}-shm`])
    await chmod(file, FILE_MODE).catch((error: unknown) => {
      if (!isFileError(error, 'ENOENT', 'EPERM')) throw error;
    });
}

function isFileError(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

async function openNow(path: string, options: SqliteOptions): Promise<ControlDatabase> {
  const { busyTimeoutMs } = options;
  const blockingTimeoutMs = Math.min(busyTimeoutMs, options.blockingTimeoutMs ?? busyTimeoutMs);
  const connection = new Sqlite(path, { timeout: busyTimeoutMs });
  try {
    connection.pragma('journal_mode = WAL');
    connection.pragma('synchronous = FULL');
    connection.pragma('foreign_keys = ON');
    const kysely = new Kysely<ControlTables>({ dialect: new SqliteDialect({ database: preparing(connection) }) });
    // Kysely has no lock for SQLite: this transaction around all its steps is one.
    connection.exec('BEGIN IMMEDIATE');
    await migrateControlDatabase(kysely, `sqlite:${path}`);
    connection.exec('COMMIT');
    connection.pragma(`busy_timeout = ${blockingTimeoutMs}`);
    return {
      kysely,
      engine: { kind: 'sqlite', connection, busyTimeoutMs, blockingTimeoutMs },
      version: versionReader(connection),
      close: async () => void connection.close(),
    };
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** Statements that a connection keeps prepared; the few that make up nearly all work have far fewer texts. */
const STATEMENTS_MAX = 200;

/** A connection for Kysely, which would prepare each statement anew: that takes longer than most of them run. */
function preparing(connection: Sqlite.Database): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>();
  return {
    prepare: (source: string) => {
      const statement = statements.get(source) ?? connection.prepare(source);
      statements.delete(source); // To the end: the one that was not used for longest goes first.
      statements.set(source, statement);
      const [oldest] = statements.keys();
      if (statements.size > STATEMENTS_MAX && oldest !== undefined) statements.delete(oldest);
      return statement;
    },
    close: () => connection.close(),
  };
}

/** Reads a number that changes with the first look after another connection's commit. */
function versionReader(connection: Sqlite.Database): () => number {
  const statement = connection.prepare<[], number>('pragma data_version').pluck();
  return () => {
    try {
      return statement.get() ?? 0;
    } catch (error) {
      throw unavailable(error);
    }
  };
}

/** Processes that make a new file at once can find it busy in ways for which SQLite doesn't wait. */
async function retryWhileBusy<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isSqliteBusy(error) || attempt === OPEN_ATTEMPTS_MAX) throw error;
      await sleep(10 * attempt);
    }
  }
}
