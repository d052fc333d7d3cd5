import { createHash } from 'node:crypto';
import { existsSync, realpathSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, extname, join, resolve } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { AppError, isAppError, messageFromError } from '../../../runtime/errors.ts';
import { shownAddress } from '../../../runtime/shown-address.ts';
import type { Copy } from '../copy.ts';
import type { DuckDBOptions } from './duckdb-copy.ts';

const POSTGRES = /^postgres(?:ql)?:\/\//;
const DUCKDB = new Set(['.duckdb', '.ddb']);
const SQLITE = new Set(['.sqlite', '.sqlite3', '.db']);

/**
 * Opens the copy at `into` exclusively: `postgres://…`, a file `*.duckdb` or `*.sqlite`, else a folder. Rejects with
 * `usage` if something else is there, `unavailable` if another process writes it. Later calls reject with `unavailable`
 * when the database or disk fails.
 */
export async function openCopy(into: string, options: DuckDBOptions): Promise<Copy> {
  const place = shownPlace(into);
  if (isPostgres(into))
    return guarded(place, await (await import('./postgres-copy.ts')).PostgresCopy.open(into, place));
  const path = realPath(into);
  const unlock = lockCopy(path);
  try {
    return guarded(place, await openFile(path, options), unlock);
  } catch (error) {
    unlock();
    throw error;
  }
}

/** A failure of a database or disk is not a defect of this program, and may pass. */
function guarded(place: string, copy: Copy, unlock: () => void = () => {}): Copy {
  const failed = (cause: unknown) =>
    isAppError(cause) ? cause : new AppError('unavailable', `${place}: ${messageFromError(cause)}`, { cause });
  const guard = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      throw failed(error);
    }
  };
  return {
    isVerbatim: copy.isVerbatim,
    batchEvents: copy.batchEvents,
    state: () => guard(copy.state()),
    lines: async function* lines(dataset, version) {
      try {
        yield* copy.lines(dataset, version);
      } catch (error) {
        throw failed(error);
      }
    },
    placeOf: (dataset) => copy.placeOf(dataset),
    update: (update) => guard(copy.update(update)),
    close: async () => {
      try {
        await guard(copy.close());
      } finally {
        unlock();
      }
    },
  };
}

/** The path with links resolved, so that a copy has one lock. */
function realPath(into: string): string {
  const path = resolve(into);
  if (existsSync(path)) return realpathSync(path);
  if (!isFolder(dirname(path))) throw new AppError('usage', `the folder ${dirname(path)} does not exist`);
  return join(realpathSync(dirname(path)), basename(path));
}

export function mayExist(into: string): boolean {
  return isPostgres(into) || existsSync(into);
}

/** Without user and password. */
export function shownPlace(into: string): string {
  return isPostgres(into) ? shownAddress(into) : into;
}

async function openFile(path: string, options: DuckDBOptions): Promise<Copy> {
  const extension = extname(path).toLowerCase();
  if (isFolder(path)) return (await import('./folder-copy.ts')).FolderCopy.open(path);
  if (DUCKDB.has(extension)) return (await import('./duckdb-copy.ts')).DuckDBCopy.open(path, options);
  if (SQLITE.has(extension)) return (await import('./sqlite-copy.ts')).SqliteCopy.open(path);
  if (extension === '' && !existsSync(path)) return (await import('./folder-copy.ts')).FolderCopy.open(path);
  const known = [...DUCKDB, ...SQLITE].join(', ');
  throw new AppError(
    'usage',
    `${path}: a file name must end in one of ${known}; the name of a new folder must have no extension`,
  );
}

/** The folder for temporary files of a sync: next to the copy, so that it has as much space. */
export function scratchFolderOf(into: string): string {
  if (isPostgres(into)) return inTemporaryFolder(into);
  const beside = `${realPath(into)}.sync`;
  // DuckDB would take the name for a pattern.
  return /[*?[\]]/.test(beside) ? inTemporaryFolder(beside) : beside;
}

function inTemporaryFolder(name: string): string {
  return join(tmpdir(), `modelstats-sync-${createHash('sha256').update(name).digest('hex').slice(0, 16)}`);
}

function isPostgres(into: string): boolean {
  return POSTGRES.test(into);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/**
 * Locks a file beside the copy with SQLite; the system releases it when the process ends. Throws `unavailable` if
 * another process holds it. Returns the release function.
 */
function lockCopy(path: string): () => void {
  const database = openLock(`${path}.lock`);
  try {
    database.pragma('locking_mode = EXCLUSIVE');
    database.exec('BEGIN EXCLUSIVE');
    return () => database.close();
  } catch (cause) {
    database.close();
    if (!isBusy(cause))
      throw new AppError(
        'usage',
        `${path}.lock can't be locked: ${messageFromError(cause)}; if it is not a lock file of modelstats, move it away`,
        {
          cause,
        },
      );
    throw new AppError('unavailable', `another modelstats sync is writing into ${path}; wait until it ends`, {
      cause,
    });
  }
}

function openLock(path: string): SqliteDatabase.Database {
  try {
    return new SqliteDatabase(path, { timeout: 0 });
  } catch (cause) {
    throw new AppError('usage', `${path} can't be written: ${messageFromError(cause)}`, { cause });
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof SqliteDatabase.SqliteError && error.code.startsWith('SQLITE_BUSY');
}
