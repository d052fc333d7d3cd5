import { AppError, isAppError } from '../../../runtime/errors.ts';
import type { Release, ReleaseRef } from '../../../schemas/release.ts';
import { releaseFromBody } from '../../../storage/catalog.ts';
import { RELEASE_PATHS, releaseKey } from '../../../storage/keys.ts';
import type { ObjectStore } from '../../../storage/object-store.ts';

/** A sound release.json, and where it was found. */
export interface FoundRelease {
  /** As it was published, without repairs. */
  readonly release: Release;
  readonly body: Buffer;
  /** For people. */
  readonly from: string;
}

/**
 * The release.json that a catalog names: itself, the copy of it in the mark `published`, or either of another store. Rejects with
 * `corrupt` where none has the recorded hash, telling each fault.
 */
export async function findRelease(ref: ReleaseRef, stores: readonly ObjectStore[]): Promise<FoundRelease> {
  const { found, faults } = await lookForRelease(ref, stores);
  if (found !== undefined) return found;
  const remedy = `another store that has it can give it back: modelstats republish ${ref.day} --from STORE`;
  throw new AppError('corrupt', `${faults.join('; ')}; ${remedy}`);
}

/** {@link findRelease}, or undefined; with the fault of each place that was looked at before. */
export async function lookForRelease(
  ref: ReleaseRef,
  stores: readonly ObjectStore[],
): Promise<{ readonly found: FoundRelease | undefined; readonly faults: readonly string[] }> {
  const faults: string[] = [];
  for (const store of stores) {
    for (const path of [RELEASE_PATHS.release, RELEASE_PATHS.published]) {
      const found = await look(ref, store, path);
      if (typeof found !== 'string') return { found, faults };
      faults.push(found);
    }
  }
  return { found: undefined, faults };
}

/** Resolves to what is wrong with the object where it isn't the one that was recorded. */
async function look(ref: ReleaseRef, store: ObjectStore, path: string): Promise<FoundRelease | string> {
  const where = `${store.url}: ${releaseKey(ref, path)}`;
  const object = await store.get(releaseKey(ref, path));
  if (object === undefined) return `${where} is missing`;
  if (object.body.length === 0) return `${where} is empty`;
  try {
    const { day, run, release_sha256 } = ref;
    return {
      release: releaseFromBody(object.body, { day, run, release_sha256 }, where),
      body: object.body,
      from: where,
    };
  } catch (error) {
    if (!isAppError(error, 'corrupt')) throw error;
    return error.message;
  }
}
