import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect } from 'vitest';
import { FileStore } from '../../../storage/file/file-store.ts';
import { type FileHash, hashStream, sha256 } from '../../../storage/hash.ts';
import type { ListedObject, ListOptions, ObjectStore, PutCondition } from '../../../storage/object-store.ts';

/** What the contract is tested on; to be asked for inside of tests only. */
export interface Subject {
  store(): ObjectStore;
  /** The same store through an object of its own, as another process would have it. */
  anotherHandle(): ObjectStore;
  folder(): string;
}

export async function openFileStore() {
  const root = await mkdtemp(join(tmpdir(), 'modelstats-store-'));
  const open = () => new FileStore(root);
  return { store: open(), anotherHandle: open, close: () => rm(root, { recursive: true }) };
}

export const IF_ABSENT: PutCondition = { ifAbsent: true };
const LARGE_BYTES = 20 * 1024 * 1024;

export function text(value: string): Buffer {
  return Buffer.from(value);
}

export async function read(store: ObjectStore, key: string): Promise<Buffer> {
  return buffer(await store.stream(key));
}

export async function largeFile(folder: string): Promise<FileHash & { readonly path: string }> {
  const bytes = randomBytes(LARGE_BYTES);
  const path = join(folder, 'large');
  await writeFile(path, bytes);
  return { bytes: LARGE_BYTES, sha256: sha256(bytes), path };
}

export async function hashOf(store: ObjectStore, key: string): Promise<FileHash> {
  return hashStream(await store.stream(key));
}

export async function repeat(times: number, work: () => Promise<unknown>): Promise<void> {
  for (let round = 0; round < times; round += 1) await work();
}

export async function listAll(store: ObjectStore, prefix: string, options?: ListOptions): Promise<ListedObject[]> {
  const listed: ListedObject[] = [];
  for await (const object of store.list(prefix, options)) listed.push(object);
  return listed;
}

export async function keysOf(store: ObjectStore, prefix: string): Promise<string[]> {
  return (await listAll(store, prefix)).map(({ key }) => key);
}

export async function expectLost(writing: Promise<unknown>, why = ''): Promise<void> {
  const message = expect.stringContaining(why);
  await expect(writing).rejects.toMatchObject({ name: 'AppError', code: 'precondition_failed', message });
}
