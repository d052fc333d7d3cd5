import { open, rm, stat } from 'node:fs/promises';
import Sqlite from 'better-sqlite3';
import { AppError, messageFromError } from '../../schemas/errors.ts';
import { openingErrorFrom } from '../errors/opening-errors.ts';
import { refuseUnreadable } from './sqlite-file.ts';

/** Nobody but this user reads what it holds. */
const FILE_MODE = 0o600;

/** In one step: a copy in several begins anew with every write of another process in between, and may never end. */
const ALL_PAGES = 0x7fff_ffff;

/**
 * Copies a SQLite control database, as it is at one instant, into one file, while others write to it; resolves to its size in bytes.
 * The copy is proven sound before it counts, and nothing is left where that fails. The database itself is only read: it is neither
 * made nor brought up to this version. Rejects with `usage` where the file is there already, with `configuration` where the database
 * is something else, and with `unavailable`.
 */
export async function backupSqlite(path: string, into: string): Promise<number> {
  const connection = await openToRead(path);
  try {
    await claim(into);
    try {
      await connection.backup(into, { progress: () => ALL_PAGES });
      prove(into);
      return (await stat(into)).size;
    } catch (error) {
      await rm(into, { force: true });
      throw copyingErrorFrom(error, `the control database ${path} can't be copied to ${into}`);
    }
  } finally {
    connection.close();
  }
}

async function openToRead(path: string): Promise<Sqlite.Database> {
  let connection: Sqlite.Database | undefined;
  try {
    await refuseUnreadable(path);
    connection = new Sqlite(path, { readonly: true, fileMustExist: true });
    connection.pragma('schema_version'); // Reads it, which opening alone does not.
    return connection;
  } catch (error) {
    connection?.close();
    throw openingErrorFrom(error, path);
  }
}

async function claim(into: string): Promise<void> {
  try {
    await (await open(into, 'wx', FILE_MODE)).close();
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw new AppError('usage', `${into} is there already: name a new file`);
    throw copyingErrorFrom(error, `${into} can't be written`);
  }
}

const NO_ROOM = 'make room on its disk, or name a file on another';
const NO_RIGHT = 'name a file where this user may write';
const NO_FOLDER = 'make its folder, or name a file elsewhere';

/** What to do, by the system's or SQLite's code. */
const HINTS: Readonly<Record<string, string>> = {
  ENOSPC: NO_ROOM,
  EDQUOT: NO_ROOM,
  SQLITE_FULL: NO_ROOM,
  EACCES: NO_RIGHT,
  EPERM: NO_RIGHT,
  EROFS: NO_RIGHT,
  SQLITE_CANTOPEN: NO_RIGHT,
  SQLITE_READONLY: NO_RIGHT,
  ENOENT: NO_FOLDER,
  ENOTDIR: NO_FOLDER,
};

function copyingErrorFrom(error: unknown, what: string): AppError {
  const hint = HINTS[codeOf(error)];
  const message = `${what}: ${messageFromError(error)}`;
  return new AppError('unavailable', hint === undefined ? message : `${message}; ${hint}`, { cause: error });
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** Also leaves one file: without WAL there is nothing beside it. */
function prove(file: string): void {
  const copy = new Sqlite(file);
  try {
    copy.pragma('journal_mode = DELETE');
    const found = copy.pragma('integrity_check', { simple: true });
    if (found !== 'ok') throw new Error(`the copy is damaged: ${String(found)}`);
  } finally {
    copy.close();
  }
}
