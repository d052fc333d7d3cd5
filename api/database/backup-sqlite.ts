import { randomBytes } from 'node:crypto';
import { rm, stat } from 'node:fs/promises';
import Sqlite from 'better-sqlite3';
import { AppError, codeFromError, isAppError, messageFromError } from '../../runtime/errors.ts';
import { openingErrorFrom } from './database-errors.ts';
import { assertReadable, createNewFile, pathExists, renameToFree } from './sqlite-database.ts';

/** A stepwise copy restarts whenever another process writes. */
const ALL_PAGES = 0x7fff_ffff;

/**
 * Copies a SQLite control database into one file while others write to it; resolves to its size in bytes. The copy gets
 * its name once verified; a killed process leaves `FILE.<pid>-….partial`. Never creates or migrates the database.
 * Rejects with `usage` if the file exists, with `configuration` if the database is something else, and with
 * `unavailable`.
 */
export async function backupSqlite(path: string, into: string): Promise<number> {
  const connection = await openToRead(path);
  try {
    const partial = await claimPartial(into);
    try {
      await connection.backup(partial, { progress: () => ALL_PAGES });
      verifyCopy(partial);
      const { size } = await stat(partial);
      await renameToFree(partial, into);
      return size;
    } catch (error) {
      if (codeFromError(error) === 'EEXIST') throw alreadyExists(into);
      throw copyingErrorFrom(error, `the control database ${path} can't be copied to ${into}`);
    } finally {
      for (const suffix of SUFFIXES) await rm(`${partial}${suffix}`, { force: true });
    }
  } finally {
    connection.close();
  }
}

const SUFFIXES = ['', '-journal', '-wal', '-shm'] as const;

async function openToRead(path: string): Promise<Sqlite.Database> {
  let connection: Sqlite.Database | undefined;
  try {
    await assertReadable(path);
    connection = new Sqlite(path, { readonly: true, fileMustExist: true });
    connection.pragma('schema_version'); // Reads the file, which opening does not.
    return connection;
  } catch (error) {
    connection?.close();
    throw openingErrorFrom(error, path);
  }
}

/** Partly random: containers share process ids. */
async function claimPartial(into: string): Promise<string> {
  const partial = `${into}.${process.pid}-${randomBytes(4).toString('hex')}.partial`;
  try {
    if (await pathExists(into)) throw alreadyExists(into);
    await createNewFile(partial);
    return partial;
  } catch (error) {
    throw isAppError(error) ? error : copyingErrorFrom(error, `${into} can't be written`);
  }
}

function alreadyExists(into: string): AppError {
  return new AppError('usage', `${into} already exists: name a new file`);
}

const DISK_FULL = 'free space on its disk, or name a file on another disk';
const NOT_WRITABLE = 'name a file in a folder that this user can write to';
const FOLDER_MISSING = 'create its folder, or name a file elsewhere';

/** By the system's or SQLite's code. */
const HINTS: Readonly<Record<string, string>> = {
  ENOSPC: DISK_FULL,
  EDQUOT: DISK_FULL,
  SQLITE_FULL: DISK_FULL,
  EACCES: NOT_WRITABLE,
  EPERM: NOT_WRITABLE,
  EROFS: NOT_WRITABLE,
  SQLITE_CANTOPEN: NOT_WRITABLE,
  SQLITE_READONLY: NOT_WRITABLE,
  ENOENT: FOLDER_MISSING,
  ENOTDIR: FOLDER_MISSING,
  ELOOP: 'fix the link, or name a file elsewhere',
  ENAMETOOLONG: 'name a file with a shorter path',
};

function copyingErrorFrom(error: unknown, what: string): AppError {
  const hint = HINTS[codeFromError(error)];
  const message = `${what}: ${messageFromError(error)}`;
  return new AppError('unavailable', hint === undefined ? message : `${message}; ${hint}`, { cause: error });
}

/** Checks the copy and turns WAL off, which leaves a single file. */
function verifyCopy(file: string): void {
  const copy = new Sqlite(file);
  try {
    copy.pragma('journal_mode = DELETE');
    const found = copy.pragma('integrity_check', { simple: true });
    if (found !== 'ok') throw new Error(`the copy is damaged: ${String(found)}`);
  } finally {
    copy.close();
  }
}
