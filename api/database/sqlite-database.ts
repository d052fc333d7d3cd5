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
  /** Maximum wait of a write; those of the command line take milliseconds. */
  readonly busyTimeoutMs: number;
  /**
   * The part of it that may block this process; default: all. Smaller: housekeeping is postponed sooner. Larger: a
   * locked file delays every request.
   */
  readonly blockingTimeoutMs?: number;
}

export const SQLITE_OPTIONS: SqliteOptions = { busyTimeoutMs: 2_000 };

/** While other processes open it too, each with the busy timeout. */
const OPEN_ATTEMPTS_MAX = 20;

/**
 * Creates the file and folder if missing. WAL, so readers and the writer don't block each other; full sync, so commits
 * are durable. One connection.
 */
export async function openSqliteDatabase(path: string, options: SqliteOptions): Promise<ControlDatabase> {
  try {
    await mkdir(dirname(resolve(path)), { recursive: true, mode: 0o700 });
    await createFile(path);
    const database = await retryWhileBusy(() => openNow(path, options));
    await restrictMode(path);
    return database;
  } catch (error) {
    throw openingErrorFrom(error, path);
  }
}

/** Only this user may read hashes and secrets. SQLite gives its other files the same mode. */
async function createFile(path: string): Promise<void> {
  if (path === ':memory:') return;
  await createIfMissing(path);
  await assertReadable(path).catch(async (error: unknown) => {
    if (!isFileError(error, 'ENOENT')) throw error;
    await createIfMissing(await resolveMissing(path)); // SQLite itself would create a link's target readable by others.
  });
}

async function createIfMissing(path: string): Promise<void> {
  await createNewFile(path).catch((error: unknown) => {
    if (!isFileError(error, 'EEXIST')) throw error;
  });
}

/** Files of other users stay as they are. */
async function restrictMode(path: string): Promise<void> {
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
    // Kysely has no lock for SQLite; this transaction serves as one.
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

/** Cached; far fewer do nearly all the work. */
const STATEMENTS_MAX = 200;

/** Preparing takes longer than running most statements. */
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

/** Reads a number that changes after other connections' commits. */
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

/** Files being created can be busy in ways that SQLite doesn't wait for. */
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
 * Rejects with the system's error, or `EISDIR` unless it is a regular file: SQLite's own errors are misleading, and it
 * waits forever on a pipe.
 */
export async function assertReadable(path: string): Promise<void> {
  const found = await stat(path);
  if (!found.isFile()) {
    const message = found.isDirectory() ? 'it is a folder' : 'it is not a regular file';
    throw Object.assign(new Error(message), { code: 'EISDIR' });
  }
  await access(path, constants.R_OK);
}

/**
 * The path that SQLite would create: itself, or the target of a dangling link. Rejects if the target's folder is
 * missing.
 * @param path that gave `ENOENT`, so its links aren't circular
 */
export async function resolveMissing(path: string): Promise<string> {
  const target = await readlink(path).catch(() => undefined); // Not a link.
  if (target === undefined) return path;
  const next = resolve(await realpath(dirname(path)), target);
  await stat(dirname(next));
  return resolveMissing(next);
}

/** Owner only. */
const FILE_MODE = 0o600;

/** Rejects with `EEXIST` if the name exists, even as a dangling link. */
export async function createNewFile(path: string): Promise<void> {
  await (await open(path, 'wx', FILE_MODE)).close();
}

/** Whether the name exists, even as a dangling link. */
export async function pathExists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (codeFromError(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Durable; the old name may remain. Rejects with `EEXIST` if the name exists. */
export async function renameToFree(file: string, name: string): Promise<void> {
  try {
    await link(file, name);
  } catch (error) {
    if (!WITHOUT_HARD_LINKS.has(codeFromError(error))) throw error;
    await renameToNew(file, name);
  }
  await syncFolder(dirname(name));
}

/** Reserves the name with an empty file, since rename would overwrite. */
async function renameToNew(file: string, name: string): Promise<void> {
  await createNewFile(name);
  try {
    await rename(file, name);
  } catch (error) {
    await rm(name, { force: true });
    throw error;
  }
}

/** Best effort: some file systems don't allow it. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}
