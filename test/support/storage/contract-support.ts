import { createHash, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect } from 'vitest';
import type { ListedObject, ListOptions, ObjectStore, PutCondition } from '../../../storage/object-store.ts';

/** What the contract is tested on; to be asked for inside of tests only. */
export interface Subject {
  store(): ObjectStore;
  /** The same store through an object of its own, as another process would have it. */
  anotherHandle(): ObjectStore;
  /** An empty local folder. */
  folder(): string;
}

export const IF_ABSENT: PutCondition = { ifAbsent: true };
export const LARGE_BYTES = 20 * 1024 * 1024;

export function text(value: string): Buffer {
  return Buffer.from(value);
}

export async function read(store: ObjectStore, key: string): Promise<Buffer> {
  return buffer(await store.stream(key));
}

export function sha256(bytes: Uint8Array | undefined): string {
  return createHash('sha256')
    .update(bytes ?? '')
    .digest('hex');
}

export async function sha256Of(stream: Readable): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of stream) hash.update(chunk);
  return hash.digest('hex');
}

export async function largeFile(folder: string): Promise<{ bytes: Buffer; path: string }> {
  const bytes = randomBytes(LARGE_BYTES);
  const path = join(folder, 'large');
  await writeFile(path, bytes);
  return { bytes, path };
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
