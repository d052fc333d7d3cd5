import { open, rm, stat } from 'node:fs/promises';
import Sqlite from 'better-sqlite3';
import { AppError } from '../../schemas/errors.ts';
import { unavailable } from '../errors/database-errors.ts';

/** Nobody but this user reads what it holds. */
const FILE_MODE = 0o600;

/** In one step: a copy in several begins anew with every write of another process in between, and may never end. */
const ALL_PAGES = 0x7fff_ffff;

/**
 * Copies a SQLite control database, as it is at one instant, into one file, while others write to it; resolves to its size in bytes.
 * The copy is proven sound before it counts, and nothing is left where that fails. The database itself is only read: it is neither
 * made nor brought up to this version. Rejects with `usage` where the file is there already, and with `unavailable`.
 */
export async function backupSqlite(path: string, into: string): Promise<number> {
  await claim(into);
  try {
    const connection = new Sqlite(path, { readonly: true, fileMustExist: true });
    try {
      await connection.backup(into, { progress: () => ALL_PAGES });
    } finally {
      connection.close();
    }
    prove(into);
    return (await stat(into)).size;
  } catch (error) {
    await rm(into, { force: true });
    throw unavailable(error, `the control database ${path} can't be copied to ${into}`);
  }
}

async function claim(into: string): Promise<void> {
  try {
    await (await open(into, 'wx', FILE_MODE)).close();
  } catch (error) {
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    if (isThere) throw new AppError('usage', `${into} is there already: name a new file`);
    throw unavailable(error, `${into} can't be written`);
  }
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
