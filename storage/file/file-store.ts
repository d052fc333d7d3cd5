import type { Dirent } from 'node:fs';
import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { AppError } from '../../runtime/errors.ts';
import { bufferBytes } from '../hash.ts';
import {
  assertKey,
  assertPrefix,
  isKey,
  type ListedObject,
  type ListOptions,
  type ObjectHead,
  type ObjectStore,
  type PutCondition,
  type PutResult,
  type SignedUrlOptions,
  type StoredObject,
} from '../object-store.ts';
import { findObjectVersion, type OpenedObject, openObject, orUndefined, storeErrorFrom } from './objects.ts';
import { FileStoreWriter } from './writer.ts';

/**
 * Objects as files in one folder, on a file system with POSIX locks. Guarantees, even when a process is killed or the
 * power fails:
 * - A key's name holds a complete object, and no version of a key ever returns.
 * - After a put or delete, file and folders up to the root are synced.
 * - Conditional writes hold between processes, and a killed writer blocks nobody.
 * - A reader that opened an object reads that version to its end.
 *
 * `.tmp/` (cleaned up after a day) and `.lock` belong to the store. Complete files that an operator adds are objects
 * too.
 */
export class FileStore implements ObjectStore {
  readonly url: string;
  readonly #root: string;
  readonly #writer: FileStoreWriter;
  readonly #signUrl: FileStoreOptions['signUrl'];

  /** @param root created by the first write */
  constructor(root: string, options: FileStoreOptions = {}) {
    this.url = options.url ?? `file:${root}`;
    this.#root = resolve(root);
    this.#signUrl = options.signUrl;
    this.#writer = new FileStoreWriter(this.#root, {
      clock: options.clock ?? (() => new Date()),
      random: options.random ?? Math.random,
      lockTimeoutMs: options.lockTimeoutMs ?? LOCK_TIMEOUT_MS,
    });
  }

  /** Files have the time of the machine that writes them. */
  clockAheadMs(): undefined {
    return undefined;
  }

  async get(key: string): Promise<StoredObject | undefined> {
    const path = this.#pathOf(key);
    return this.#report(`read ${key}`, async () => {
      const opened = await openObject(path);
      return opened && (await readAll(opened));
    });
  }

  async head(key: string): Promise<ObjectHead | undefined> {
    const path = this.#pathOf(key);
    const version = await this.#report(`look up ${key}`, () => findObjectVersion(path));
    return version && { bytes: version.bytes, etag: version.etag, modifiedAt: version.modifiedAt };
  }

  async stream(key: string): Promise<Readable> {
    const path = this.#pathOf(key);
    const opened = await this.#report(`read ${key}`, () => openObject(path));
    if (opened === undefined) throw new AppError('not_found', `there is no ${key} in the store ${this.url}`);
    return opened.file.createReadStream({ highWaterMark: bufferBytes(opened.version.bytes, CHUNK_BYTES) });
  }

  async put(key: string, bytes: Uint8Array, condition?: PutCondition): Promise<PutResult> {
    return this.#write(key, (file) => file.writeFile(bytes), condition);
  }

  async putFile(key: string, path: string, condition?: PutCondition): Promise<PutResult> {
    const source = await open(path, 'r');
    try {
      return await this.#write(key, (file) => copyBytes(source, file), condition);
    } finally {
      await source.close();
    }
  }

  async *list(prefix: string, { startAfter }: ListOptions = {}): AsyncGenerator<ListedObject> {
    assertPrefix(prefix);
    try {
      yield* listFiles(this.#root, prefix, startAfter);
    } catch (error) {
      throw storeErrorFrom(error, this.url, `list '${prefix}'`);
    }
  }

  async delete(key: string): Promise<void> {
    const exists = (await this.head(key)) !== undefined;
    if (exists) await this.#report(`delete ${key}`, () => this.#writer.remove(key));
  }

  async signedUrl(key: string, options: SignedUrlOptions): Promise<string> {
    assertKey(key);
    if (this.#signUrl !== undefined) return this.#signUrl(key, options);
    throw new AppError('configuration', `the store ${this.url} has no URLs for downloads`);
  }

  async #write(key: string, fill: (file: FileHandle) => Promise<void>, condition?: PutCondition): Promise<PutResult> {
    assertKey(key);
    const { etag } = await this.#report(`write ${key}`, () => this.#writer.write(key, fill, condition));
    return { etag };
  }

  #pathOf(key: string): string {
    assertKey(key);
    return join(this.#root, key);
  }

  /** @param doing what failed, for "cannot …" */
  async #report<T>(doing: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw storeErrorFrom(error, this.url, doing);
    }
  }
}

export interface FileStoreOptions {
  /** As the operator wrote it. Default: `file:` and the root. */
  readonly url?: string;
  readonly clock?: () => Date;
  /** 0 ≤ x < 1. */
  readonly random?: () => number;
  /** How long a write waits for others that replace or remove objects. */
  readonly lockTimeoutMs?: number;
  /** Files have no URLs of their own. */
  readonly signUrl?: (key: string, options: SignedUrlOptions) => Promise<string>;
}

/** A rename and a sync take milliseconds; ten seconds mean a stopped process or a dying disk. */
const LOCK_TIMEOUT_MS = 10_000;

/** Smaller: more calls per byte. Larger: more memory per stream. */
const CHUNK_BYTES = 1024 * 1024;

async function readAll({ file, version }: OpenedObject): Promise<StoredObject> {
  try {
    return { body: await file.readFile(), etag: version.etag };
  } finally {
    await file.close();
  }
}

async function copyBytes(source: FileHandle, target: FileHandle): Promise<void> {
  const highWaterMark = bufferBytes((await source.stat()).size, CHUNK_BYTES);
  const chunks = source.createReadStream({ highWaterMark, start: 0, autoClose: false });
  for await (const chunk of chunks) await target.writeFile(chunk);
}

/**
 * Lists objects in the byte order of their keys, holding the names of one folder per level. Names that can't be keys,
 * such as dot files, are ignored. Symbolic links are followed.
 */
export function listFiles(root: string, prefix: string, startAfter = ''): AsyncGenerator<ListedObject> {
  return listFolder(root, prefix.slice(0, prefix.lastIndexOf('/') + 1), { prefix, startAfter });
}

interface KeyRange {
  readonly prefix: string;
  /** Only later keys. */
  readonly startAfter: string;
}

/** @param folder empty, or a path ending in `/` */
async function* listFolder(root: string, folder: string, range: KeyRange): AsyncGenerator<ListedObject> {
  const { prefix, startAfter } = range;
  for (const name of await namesIn(join(root, folder))) {
    const key = folder + name;
    if (!key.startsWith(prefix)) continue;
    // Keys are ASCII, so text order is byte order; a folder's keys follow its name.
    if (key <= startAfter && !startAfter.startsWith(key)) continue;
    if (key.endsWith('/')) {
      yield* listFolder(root, key, range);
      continue;
    }
    if (key <= startAfter) continue;
    const version = await findObjectVersion(join(root, key));
    if (version !== undefined) yield { key, bytes: version.bytes, modifiedAt: version.modifiedAt };
  }
}

/** Folders end in `/`, so a depth-first walk gives keys in byte order. */
async function namesIn(folder: string): Promise<string[]> {
  const names: string[] = [];
  for (const entry of (await orUndefined(readdir(folder, { withFileTypes: true }))) ?? []) {
    if (isKey(entry.name)) names.push((await isFolder(folder, entry)) ? `${entry.name}/` : entry.name);
  }
  return names.sort((a, b) => (a < b ? -1 : 1));
}

async function isFolder(folder: string, entry: Dirent): Promise<boolean> {
  if (!entry.isSymbolicLink()) return entry.isDirectory();
  return (await orUndefined(stat(join(folder, entry.name))))?.isDirectory() ?? false;
}
