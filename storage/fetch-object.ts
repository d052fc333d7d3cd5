import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { AppError } from '../schemas/errors.ts';
import { type FileHash, hashFile } from './hash.ts';
import type { ObjectStore } from './object-store.ts';

/** An object, with the size and hash that are recorded for it. */
export interface RecordedObject extends FileHash {
  readonly key: string;
}

/**
 * Copies an object to a local path and proves that it is the recorded one. Rejects with `not_found` where the object is
 * gone and with `corrupt` where its bytes differ; the local file is removed then.
 */
export async function fetchObject(store: ObjectStore, expected: RecordedObject, to: string): Promise<void> {
  const { key } = expected;
  await pipeline(await store.stream(key), createWriteStream(to));
  const found = await hashFile(to);
  if (found.bytes === expected.bytes && found.sha256 === expected.sha256) return;
  await rm(to, { force: true });
  throw new AppError(
    'corrupt',
    `${store.url}: ${key} is damaged: ${found.bytes} bytes with sha256 ${found.sha256}, ` +
      `recorded are ${expected.bytes} bytes with ${expected.sha256}`,
  );
}
