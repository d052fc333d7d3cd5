import { randomUUID } from 'node:crypto';
import { type FileHandle, link, mkdir, open, readdir, rename, rmdir, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError } from '../../runtime/errors.ts';
import { WITHOUT_HARD_LINKS } from '../../runtime/this-machine.ts';
import type { PutCondition } from '../object-store.ts';
import { FileStoreLock } from './lock.ts';
import { codeOf, findObjectVersion, orUndefined, type Version, versionFrom } from './objects.ts';

/**
 * Writes and removes files of a file store, by two rules:
 * - Bytes get a name only when complete and durable, and never change afterwards.
 * - A free name is taken by `link`, so the kernel picks the winner. A used name is replaced or removed only under the
 *   store's lock, so nothing happens between comparing a version and replacing it.
 *
 * Errors are the system's, except `precondition_failed`.
 */
export class FileStoreWriter {
  readonly #root: string;
  readonly #options: FileStoreWriterOptions;
  readonly #lock: FileStoreLock;
  #isCleaned = false;

  constructor(root: string, options: FileStoreWriterOptions) {
    this.#root = root;
    this.#options = options;
    this.#lock = new FileStoreLock(join(root, '.lock'), { timeoutMs: options.lockTimeoutMs, random: options.random });
  }

  /** @param fill writes the bytes into a new file */
  async write(key: string, fill: FillFile, condition?: PutCondition): Promise<Version> {
    const temporary = join(await this.#temporaryFolder(), randomUUID());
    try {
      const version = await writeDurably(temporary, this.#time(), fill);
      const placed = await this.#place({ key, path: join(this.#root, key), temporary, version }, condition);
      await syncUpTo(this.#root, dirname(join(this.#root, key)));
      return placed;
    } finally {
      await unlink(temporary).catch(() => undefined); // Renamed already, or left for the clean-up.
    }
  }

  async remove(key: string): Promise<void> {
    const path = join(this.#root, key);
    await this.#lock.hold(async () => {
      if ((await findObjectVersion(path)) === undefined) return;
      await unlink(path);
      await syncFolder(dirname(path));
      await removeEmptyFolders(this.#root, dirname(path));
    });
  }

  async #place(file: NewFile, condition: PutCondition | undefined): Promise<Version> {
    if (condition !== undefined && 'ifMatch' in condition) return this.#replace(file, condition.ifMatch);
    if (await this.#create(file)) return file.version;
    if (condition !== undefined) throw lost(file.key, 'the key exists already');
    return this.#replace(file);
  }

  /** Links the file to its name; false if the name is taken. */
  async #create(file: NewFile): Promise<boolean> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        await makeFolder(dirname(file.path));
        await link(file.temporary, file.path);
        return true;
      } catch (error) {
        const code = codeOf(error);
        if (code === 'EEXIST') return false;
        if (WITHOUT_HARD_LINKS.has(code)) return this.#createUnderLock(file);
        // A delete removed the empty folder.
        if (code !== 'ENOENT' || attempt >= CREATE_RETRIES_MAX) throw error;
      }
    }
  }

  /** For file systems without hard links, where all writers use it. */
  #createUnderLock(file: NewFile): Promise<boolean> {
    return this.#lock.hold(async () => {
      if ((await findObjectVersion(file.path)) !== undefined) return false;
      await makeFolder(dirname(file.path));
      await rename(file.temporary, file.path);
      return true;
    });
  }

  #replace(file: NewFile, ifMatch?: string): Promise<Version> {
    return this.#lock.hold(async () => {
      const current = await findObjectVersion(file.path);
      if (ifMatch !== undefined && current?.etag !== ifMatch) {
        throw lost(file.key, current === undefined ? 'it is gone' : 'another process wrote it since it was read');
      }
      const version = current === undefined ? file.version : await makeLaterThan(current, file);
      await makeFolder(dirname(file.path));
      await rename(file.temporary, file.path);
      await syncFolder(dirname(file.path));
      return version;
    });
  }

  /** On the objects' file system; cleaned up once. */
  async #temporaryFolder(): Promise<string> {
    const folder = join(this.#root, '.tmp');
    await makeFolder(folder);
    if (!this.#isCleaned) {
      this.#isCleaned = true;
      await removeFilesBefore(folder, new Date(this.#options.clock().getTime() - LEFT_OVER_AGE_MS));
    }
    return folder;
  }

  /**
   * Microseconds since 1970: the clock's milliseconds and a random part, so that two writes rarely share an instant.
   */
  #time(): number {
    return this.#options.clock().getTime() * 1000 + 1 + Math.floor(this.#options.random() * 998);
  }
}

export type FillFile = (file: FileHandle) => Promise<void>;

export interface FileStoreWriterOptions {
  readonly clock: () => Date;
  /** 0 ≤ x < 1. */
  readonly random: () => number;
  readonly lockTimeoutMs: number;
}

interface NewFile {
  readonly key: string;
  readonly path: string;
  readonly temporary: string;
  readonly version: Version;
}

/** No write takes a day. */
const LEFT_OVER_AGE_MS = 24 * 60 * 60 * 1000;

/** Each retry means that a folder was removed between two calls. */
const CREATE_RETRIES_MAX = 20;

/** @param time of modification, in microseconds since 1970 */
async function writeDurably(path: string, time: number, fill: FillFile): Promise<Version> {
  const file = await open(path, 'wx');
  try {
    await fill(file);
    return await setTime(file, time);
  } finally {
    await file.close();
  }
}

/** Inode numbers are reused; increasing times keep an old version from returning. */
async function makeLaterThan(current: Version, { temporary, version }: NewFile): Promise<Version> {
  if (version.modifiedNs > current.modifiedNs) return version;
  const file = await open(temporary, 'r+');
  try {
    return await setTime(file, Number(current.modifiedNs / 1000n) + 2);
  } finally {
    await file.close();
  }
}

async function setTime(file: FileHandle, microseconds: number): Promise<Version> {
  await file.utimes(microseconds / 1e6, microseconds / 1e6);
  await file.sync();
  return versionFrom(await file.stat({ bigint: true }));
}

function lost(key: string, why: string): AppError {
  return new AppError('precondition_failed', `${key} was not written: ${why}`, { details: { key } });
}

/** Makes names in a folder durable; a missing folder has none. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await orUndefined(open(folder, 'r'));
  try {
    await handle?.sync();
  } finally {
    await handle?.close();
  }
}

/**
 * Makes names durable up to the root. Always all levels: another process may just have created a folder without syncing
 * it yet.
 */
async function syncUpTo(root: string, folder: string): Promise<void> {
  await syncFolder(folder);
  if (folder !== root) await syncUpTo(root, dirname(folder));
}

async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (first !== undefined) await syncUpTo(dirname(first), folder);
}

async function removeEmptyFolders(root: string, folder: string): Promise<void> {
  if (folder === root) return;
  try {
    await rmdir(folder);
  } catch {
    return; // Not empty, or gone.
  }
  await removeEmptyFolders(root, dirname(folder));
}

/** Enough after years of killed nights, and few enough not to delay a start. */
const FILES_REMOVED_MAX = 1000;

async function removeFilesBefore(folder: string, then: Date): Promise<void> {
  for (const name of (await readdir(folder)).slice(0, FILES_REMOVED_MAX)) {
    const path = join(folder, name);
    const stats = await orUndefined(stat(path));
    if (stats?.isFile() && stats.mtime < then) await orUndefined(unlink(path));
  }
}
