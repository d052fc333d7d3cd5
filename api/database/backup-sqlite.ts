import { randomBytes } from 'node:crypto';
import { rm, stat } from 'node:fs/promises';
import Sqlite from 'better-sqlite3';
import { AppError, codeFromError, isAppError, messageFromError } from '../../runtime/errors.ts';
import { openingErrorFrom } from './database-errors.ts';
import { giveNewName, isTaken, makeNewFile, refuseUnreadable } from './sqlite-database.ts';

/** In one step: a copy in several begins anew with every write of another process in between, and may never end. */
const ALL_PAGES = 0x7fff_ffff;

/**
 * Copies a SQLite control database, as it is at one instant, into one file, while others write to it; resolves to its size in bytes.
 * The copy gets its name when it is proven sound, and nothing is left where that fails; a process that is stopped leaves
 * `FILE.<pid>-….partial`. The database itself is only read: it is neither made nor brought up to this version. Rejects with `usage`
 * where the file is there already, with `configuration` where the database is something else, and with `unavailable`.
 */
export async function backupSqlite(path: string, into: string): Promise<number> {
  const connection = await openToRead(path);
  try {
    const partial = await claimPartial(into);
    try {
      await connection.backup(partial, { progress: () => ALL_PAGES });
      prove(partial);
      const { size } = await stat(partial);
      await giveNewName(partial, into);
      return size;
    } catch (error) {
      if (codeFromError(error) === 'EEXIST') throw taken(into);
      throw copyingErrorFrom(error, `the control database ${path} can't be copied to ${into}`);
    } finally {
      for (const beside of BESIDE) await rm(`${partial}${beside}`, { force: true });
    }
  } finally {
    connection.close();
  }
}

/** Ends of the names of what SQLite may put beside a file, and of the file. */
const BESIDE = ['', '-journal', '-wal', '-shm'] as const;

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

/** An empty file beside the one that is to be; a part of its name is left to chance, since containers share process ids. */
async function claimPartial(into: string): Promise<string> {
  const partial = `${into}.${process.pid}-${randomBytes(4).toString('hex')}.partial`;
  try {
    if (await isTaken(into)) throw taken(into);
    await makeNewFile(partial);
    return partial;
  } catch (error) {
    throw isAppError(error) ? error : copyingErrorFrom(error, `${into} can't be written`);
  }
}

function taken(into: string): AppError {
  return new AppError('usage', `${into} is there already: name a new file`);
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
  ELOOP: 'mend the link, or name a file elsewhere',
  ENAMETOOLONG: 'name a file with a shorter path',
};

function copyingErrorFrom(error: unknown, what: string): AppError {
  const hint = HINTS[codeFromError(error)];
  const message = `${what}: ${messageFromError(error)}`;
  return new AppError('unavailable', hint === undefined ? message : `${message}; ${hint}`, { cause: error });
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
