import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open, stat } from 'node:fs/promises';
import type { ObjectHead } from '../object-store.ts';
import { isAbsence } from './errors.ts';

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
