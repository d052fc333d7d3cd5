import type { BigIntStats } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import Database from 'better-sqlite3';
import { AppError, codeFromError, messageFromError } from '../../runtime/errors.ts';
import type { ObjectHead } from '../object-store.ts';
import { LockTimeout } from './lock.ts';

export interface Version extends ObjectHead {
  /** Nanoseconds since 1970. */
  readonly modifiedNs: bigint;
}

export interface OpenedObject {
  readonly file: FileHandle;
  readonly version: Version;
}

/** Opens an object; the handle reads this version even if the name is replaced. The caller closes it. */
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

/** The current version; undefined for a folder or nothing. */
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

/** Undefined if there is no such file. */
export async function orUndefined<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise;
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user has no permission',
  EPERM: 'this user has no permission',
  EROFS: 'it is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota of this user is used up',
  EFBIG: 'the file is larger than the system allows (ulimit -f, or the limit of the file system)',
  ENOTDIR: 'a part of the path is a file or a broken link, not a folder',
  ELOOP: 'the links in the path form a circle',
  EISDIR: 'a folder has this name',
  EEXIST: 'a part of the path is a file or a broken link, not a folder',
  ENAMETOOLONG: 'the path is too long for the file system',
  EMFILE: 'this process has too many open files (ulimit -n)',
  ENFILE: 'the system has too many open files',
  EIO: 'the disk reports an error',
  ENOENT: 'the folder disappeared',
  EXDEV: 'a folder inside it is on another disk; a store must be on one file system',
  SQLITE_READONLY: 'its lock file .lock is read-only for this user',
  SQLITE_CANTOPEN: 'its lock file .lock cannot be opened',
  SQLITE_FULL: 'the disk is full',
  SQLITE_NOTADB: 'its file .lock is not a lock file',
};

/** @param doing what failed, for "cannot …" */
export function storeErrorFrom(error: unknown, store: string, doing: string): AppError {
  if (error instanceof AppError) return error;
  const code = codeOf(error);
  const reason = error instanceof LockTimeout ? error.message : (REASONS[code] ?? messageFromError(error));
  return new AppError('store_unavailable', `cannot ${doing} in the store ${store}: ${reason}`, {
    cause: error,
    details: { store, ...(code === '' ? {} : { code }) },
  });
}

/** {@link codeFromError}; of SQLite's extended codes the plain one. */
export function codeOf(error: unknown): string {
  if (error instanceof Database.SqliteError) return error.code.split('_').slice(0, 2).join('_');
  return codeFromError(error);
}

function isAbsence(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}
