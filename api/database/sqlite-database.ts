import { constants } from 'node:fs';
import { access, chmod, link, lstat, mkdir, open, readlink, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { LRUCache } from 'lru-cache';
import { codeFromError } from '../../runtime/errors.ts';
import { WITHOUT_HARD_LINKS } from '../../runtime/this-machine.ts';
import type { ControlDatabase, SqliteEngine } from './control-database.ts';
import { isSqliteBusy, openingErrorFrom, unavailable } from './database-errors.ts';
import { migrateControlDatabase } from './migrate.ts';
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
    const prepare = preparer(connection);
    const database = { prepare, close: () => connection.close() };
    const kysely = new Kysely<ControlTables>({ dialect: new SqliteDialect({ database }) });
    // Kysely has no lock for SQLite: this transaction around all its steps is one.
    connection.exec('BEGIN IMMEDIATE');
    await migrateControlDatabase(kysely, `sqlite:${path}`);
    connection.exec('COMMIT');
    connection.pragma(`busy_timeout = ${blockingTimeoutMs}`);
    return {
      kysely,
      engine: { kind: 'sqlite', connection, prepare, busyTimeoutMs, blockingTimeoutMs },
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

/** Keeps statements: preparing one anew, as Kysely would, takes longer than most of them run. */
function preparer(connection: Sqlite.Database): SqliteEngine['prepare'] {
  const statements = new LRUCache<string, Sqlite.Statement>({ max: STATEMENTS_MAX });
  return (text) => {
    const known = statements.get(text);
    if (known !== undefined) return known;
    const statement = connection.prepare(text);
    statements.set(text, statement);
    return statement;
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

/**
 * Rejects where a path leads to no file that this user may read, with the system's error or with `EISDIR` for what is no file at all.
 * SQLite says of each of these that it is unable to open it, or that the disk has an error, and waits for ever on a pipe.
 */
export async function refuseUnreadable(path: string): Promise<void> {
  const found = await stat(path);
  if (!found.isFile()) {
    const message = found.isDirectory() ? 'it is a folder' : 'it is no file of a disk';
    throw Object.assign(new Error(message), { code: 'EISDIR' });
  }
  await access(path, constants.R_OK);
}

/**
 * Where SQLite makes a file that is not there: the path itself, or what it leads to where it is a link to nothing. Rejects with the
 * system's error where a folder behind the link is missing.
 *
 * @param path one of which the system says `ENOENT`, so that no links lead in a circle
 */
export async function placeOfMissing(path: string): Promise<string> {
  const target = await readlink(path).catch(() => undefined); // What is no link, or not there, leads nowhere else.
  if (target === undefined) return path;
  const next = resolve(await realpath(dirname(path)), target);
  await stat(dirname(next));
  return placeOfMissing(next);
}

/** Nobody but this user reads what it holds. */
const FILE_MODE = 0o600;

/** Makes an empty file that is for this user alone. Rejects with `EEXIST` where something, be it a link to nothing, has the name. */
export async function makeNewFile(path: string): Promise<void> {
  await (await open(path, 'wx', FILE_MODE)).close();
}

/** Whether anything has the name, be it a link to nothing. Rejects where that can't be told. */
export async function isTaken(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (codeFromError(error) === 'ENOENT') return false;
    throw error;
  }
}

/**
 * Gives a finished file a name that nothing has, durably. It may keep its old one, too. Rejects with `EEXIST` where something has
 * the name, which stays as it is.
 */
export async function giveNewName(file: string, name: string): Promise<void> {
  try {
    await link(file, name);
  } catch (error) {
    if (!WITHOUT_HARD_LINKS.has(codeFromError(error))) throw error;
    await renameToNew(file, name);
  }
  await syncFolder(dirname(name));
}

/** The name is taken first, by an empty file: a renaming alone would write over whatever came there meanwhile. */
async function renameToNew(file: string, name: string): Promise<void> {
  await makeNewFile(name);
  try {
    await rename(file, name);
  } catch (error) {
    await rm(name, { force: true });
    throw error;
  }
}

/** As far as the file system lets this user: the name is given, and SQLite goes on without it as well. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}
