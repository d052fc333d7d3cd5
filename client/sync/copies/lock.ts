import SqliteDatabase from 'better-sqlite3';
import { AppError, messageFromError } from '../../../runtime/errors.ts';

/**
 * Keeps others from writing the same copy: a file beside it that SQLite locks, so that the system lets go of it however the
 * process ends. Throws `unavailable` where another process has it. Gives what lets go.
 */
export function lockCopy(path: string): () => void {
  const database = openLock(`${path}.lock`);
  try {
    database.pragma('locking_mode = EXCLUSIVE');
    database.exec('BEGIN EXCLUSIVE');
    return () => database.close();
  } catch (cause) {
    database.close();
    if (!isBusy(cause))
      throw new AppError('usage', `${path}.lock is no lock of modelstats: ${messageFromError(cause)}`, { cause });
    throw new AppError('unavailable', `another modelstats sync is writing into ${path}; wait until it has ended`, {
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
