import Database from 'better-sqlite3';
import { AppError, codeFromError, messageFromError } from '../../runtime/errors.ts';
import { LockTimeout } from './lock.ts';

/** What went wrong, by the system's error code, as the operator of a nightly job understands it. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user has no permission there',
  EPERM: 'this user has no permission there',
  EROFS: 'it is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota of this user is used up',
  EFBIG: 'the file is larger than the system allows (ulimit -f, or the limit of the file system)',
  ENOTDIR: 'a part of the path is a file or a link to nothing, not a folder',
  ELOOP: 'a link in the path leads in a circle',
  EISDIR: 'a folder has this name',
  EEXIST: 'a part of the path is a file or a link to nothing, not a folder',
  ENAMETOOLONG: 'the path is too long for the file system',
  EMFILE: 'this process has too many open files (ulimit -n)',
  ENFILE: 'the system has too many open files',
  EIO: 'the disk reports an error',
  ENOENT: 'the folder disappeared',
  EXDEV: 'a folder inside it lies on another disk; a store must be one file system',
  SQLITE_READONLY: 'its lock file .lock is read-only for this user',
  SQLITE_CANTOPEN: 'its lock file .lock cannot be opened',
  SQLITE_FULL: 'the disk is full',
  SQLITE_NOTADB: 'its lock file .lock holds something else',
};

/**
 * The {@link AppError} for whatever the file system or the lock threw.
 * @param doing what failed, as in "cannot … ": `write releases/x`
 */
export function storeErrorFrom(error: unknown, store: string, doing: string): AppError {
  if (error instanceof AppError) return error;
  const code = codeOf(error);
  const reason = error instanceof LockTimeout ? error.message : (REASONS[code] ?? messageFromError(error));
  return new AppError('store_unavailable', `cannot ${doing} in the store ${store}: ${reason}`, {
    cause: error,
    details: { store, ...(code === '' ? {} : { code }) },
  });
}

/** The same as {@link codeFromError}, of SQLite's codes the plain one. */
export function codeOf(error: unknown): string {
  if (error instanceof Database.SqliteError) return error.code.split('_').slice(0, 2).join('_');
  return codeFromError(error);
}

/** True where a read found nothing under that name. */
export function isAbsence(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}
