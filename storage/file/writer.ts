import { randomUUID } from 'node:crypto';
import { type FileHandle, link, mkdir, open, readdir, rename, rmdir, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError } from '../../runtime/errors.ts';
import { WITHOUT_HARD_LINKS } from '../../runtime/this-machine.ts';
import type { PutCondition } from '../object-store.ts';
import { FileStoreLock } from './lock.ts';
import { codeOf, findObjectVersion, orUndefined, type Version, versionFrom } from './objects.ts';

/**
 * How files come and go in a file store. Two rules carry its promises:
 *
 * - Bytes get a name only when they are complete and durable, and never change after that.
 * - A name that nothing has is given by `link`: of racing writers the kernel lets one win, without any lock. A name that
 *   something has is given away or removed only under the store's lock, with or without a condition; so nothing can happen
 *   between comparing a version and replacing it.
 *
 * All errors come as the system throws them, but for `precondition_failed`.
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

  /**
   * Writes an object.
   * @param fill writes its bytes into a new file
   */
  async write(key: string, fill: FillFile, condition?: PutCondition): Promise<Version> {
    const temporary = join(await this.#temporaryFolder(), randomUUID());
    try {
      const version = await writeDurably(temporary, this.#time(), fill);
      const placed = await this.#place({ key, path: join(this.#root, key), temporary, version }, condition);
      await syncUpTo(this.#root, dirname(join(this.#root, key)));
      return placed;
    } finally {
      await unlink(temporary).catch(() => undefined); // Gone by rename, or left for the cleaning.
    }
  }

  /** Removes an object and the folders that are empty without it. */
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
    if (condition !== undefined) throw lost(file.key, 'something has this name already');
    return this.#replace(file);
  }

  /** Gives the file a name that nothing has; false where something has it. */
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
        // A delete removed the folder because it was empty.
        if (code !== 'ENOENT' || attempt >= CREATE_RETRIES_MAX) throw error;
      }
    }
  }

  /** For file systems without hard links, where every writer ends up here. */
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
        throw lost(file.key, current === undefined ? 'it is gone' : 'somebody else wrote it since it was read');
      }
      const version = current === undefined ? file.version : await makeLaterThan(current, file);
      await makeFolder(dirname(file.path));
      await rename(file.temporary, file.path);
      await syncFolder(dirname(file.path));
      return version;
    });
  }

  /** The folder of unfinished files, on the same file system as the objects; cleaned once. */
  async #temporaryFolder(): Promise<string> {
    const folder = join(this.#root, '.tmp');
    await makeFolder(folder);
    if (!this.#isCleaned) {
      this.#isCleaned = true;
      await removeFilesBefore(folder, new Date(this.#options.clock().getTime() - LEFT_OVER_AGE_MS));
    }
    return folder;
  }

  /** Now, in whole microseconds since 1970; the clock's milliseconds plus a random part, so that two writes rarely share an instant. */
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

/** A complete file that has no name yet. */
interface NewFile {
  readonly key: string;
  readonly path: string;
  readonly temporary: string;
  readonly version: Version;
}

/** No write takes a day, so a temporary file of that age is nobody's. */
const LEFT_OVER_AGE_MS = 24 * 60 * 60 * 1000;

/** Each retry means that a folder was emptied and removed in the microseconds between two calls. */
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

/** Inode numbers are used again; growing times keep a version from coming back. */
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

/** Makes the names in a folder durable; fine when the folder is gone, for then it has no names. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await orUndefined(open(folder, 'r'));
  try {
    await handle?.sync();
  } finally {
    await handle?.close();
  }
}

/**
 * Makes the names in a folder and in all folders above it durable, up to the root. All of them, every time: a folder that is
 * there may be one that another process made a moment ago and has not made durable yet.
 */
async function syncUpTo(root: string, folder: string): Promise<void> {
  await syncFolder(folder);
  if (folder !== root) await syncUpTo(root, dirname(folder));
}

/** Makes a folder and those above it that are missing, durably. */
async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (first !== undefined) await syncUpTo(dirname(first), folder);
}

/** Removes a folder and those above it that are empty, below the root. */
async function removeEmptyFolders(root: string, folder: string): Promise<void> {
  if (folder === root) return;
  try {
    await rmdir(folder);
  } catch {
    return; // Not empty, or gone: either way nothing is left to do.
  }
  await removeEmptyFolders(root, dirname(folder));
}

/** Enough to clean up after years of killed nights, few enough not to delay a start. */
const FILES_REMOVED_MAX = 1000;

/** Removes the files of a folder that were last written before then. */
async function removeFilesBefore(folder: string, then: Date): Promise<void> {
  for (const name of (await readdir(folder)).slice(0, FILES_REMOVED_MAX)) {
    const path = join(folder, name);
    const stats = await orUndefined(stat(path));
    if (stats?.isFile() && stats.mtime < then) await orUndefined(unlink(path));
  }
}
