import type { BigIntStats } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import Database from 'better-sqlite3';
import { AppError, codeFromError, messageFromError } from '../../runtime/errors.ts';
import type { ObjectHead } from '../object-store.ts';
import { LockTimeout } from './lock.ts';

/** What is known of an object without reading it. */
export interface Version extends ObjectHead {
  /** Modification time in nanoseconds since 1970. */
  readonly modifiedNs: bigint;
}

export interface OpenedObject {
  readonly file: FileHandle;
  readonly version: Version;
}

/** Opens an object for reading; it stays this version to its end, whoever gets its name. The caller closes the file. */
export async function openObject(path: string): Promise<OpenedObject | undefined> {
  const file = await orUndefined(open(path, 'r'));
  if (file === undefined) return undefined;
  try {
    const stats = await file.stat({ bigint: true });
    if (stats.isFile()) return { file, version: versionFrom(stats) };
  } catch (error) {
    await file.close();
    throw error;
  }
  await file.close();
  return undefined;
}

/** The object's present version; undefined where there is none. A folder is no object. */
export async function findObjectVersion(path: string): Promise<Version | undefined> {
  const stats = await orUndefined(stat(path, { bigint: true }));
  return stats?.isFile() ? versionFrom(stats) : undefined;
}

export function versionFrom(stats: BigIntStats): Version {
  return {
    etag: [stats.ino, stats.mtimeNs, stats.size].map((part) => part.toString(36)).join('-'),
    bytes: Number(stats.size),
    modifiedAt: new Date(Number(stats.mtimeMs)),
    modifiedNs: stats.mtimeNs,
  };
}

/** Undefined where there is nothing of that name, or not any more. */
export async function orUndefined<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise;
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

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
function isAbsence(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}
