import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, isAppError } from '../../../runtime/errors.ts';
import { fetchObject, type RecordedObject } from '../../../storage/fetch-object.ts';
import { hashStream } from '../../../storage/hash.ts';
import type { ObjectStore } from '../../../storage/object-store.ts';

export interface CopyDeps {
  readonly from: ObjectStore;
  readonly to: ObjectStore;
  readonly scratch: string;
  /** 0 ≤ x < 1, for the jitter of retries. */
  readonly random: () => number;
}

/** Adapters retry a request by themselves; this is for what they gave up, and for an object that another copier wrote meanwhile. */
const ATTEMPTS_MAX = 3;
const DELAY_MS = 500;

/**
 * Makes sure that the second store has an object with the recorded bytes; resolves to how many bytes were sent, 0 where it had
 * it. Rejects with `corrupt` or `not_found` where the first store doesn't: damage is never copied.
 */
export async function copyObject(object: RecordedObject, deps: CopyDeps): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await copyOnce(object, deps);
    } catch (error) {
      const isPassing = isAppError(error, 'store_unavailable') || isAppError(error, 'precondition_failed');
      if (!isPassing || attempt === ATTEMPTS_MAX) throw error;
      await sleep(DELAY_MS * attempt * (1 + deps.random()));
    }
  }
}

async function copyOnce(object: RecordedObject, { from, to, scratch }: CopyDeps): Promise<number> {
  const { key, bytes, sha256 } = object;
  const head = await to.head(key);
  if (head?.bytes === bytes && (await isSame(object, to))) return 0;
  const local = join(scratch, key.replaceAll('/', '.'));
  try {
    await fetchObject(from, object, local);
    await to.putFile(key, local, head === undefined ? { ifAbsent: true } : { ifMatch: head.etag });
  } finally {
    await rm(local, { force: true });
  }
  if (await isSame(object, to)) return bytes;
  throw new AppError(
    'corrupt',
    `${to.url}: ${key} reads back differently from what was written (sha256 is not ${sha256})`,
  );
}

async function isSame({ key, bytes, sha256 }: RecordedObject, store: ObjectStore): Promise<boolean> {
  const found = await hashStream(await store.stream(key));
  return found.bytes === bytes && found.sha256 === sha256;
}
