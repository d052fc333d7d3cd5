/**
 * Whether another store may give a release's files, or get them: only where it holds the same record (specification "Identity of a
 * store"; decision 0043). Files are taken by their recorded hash alone, so a wrong store could damage nothing; but whoever names
 * it is mistaken, and has to hear that rather than that this file and that can't be had.
 */

import { AppError, isAppError } from '../../../runtime/errors.ts';
import { type Catalog, type CatalogEntry, isSameRecord } from '../../../schemas/catalog.ts';
import type { Release, ReleaseRef } from '../../../schemas/release.ts';
import {
  findUnlisted,
  type LoadedCatalog,
  loadCatalog,
  newestEntry,
  releaseFromBody,
  swapCatalog,
  whyNoCatalog,
} from '../../../storage/catalog.ts';
import { RELEASE_PATHS, releaseId, releaseKey } from '../../../storage/keys.ts';
import type { ObjectStore } from '../../../storage/object-store.ts';

/** The store whose catalog names the release, and what that lists. */
export interface Origin {
  readonly origin: ObjectStore;
  readonly releases: readonly CatalogEntry[];
}

/**
 * Rejects with `usage` where files of a release can't be taken from a store. One without a catalog can't tell its record: it has
 * to have the very release.json that the catalog here names.
 */
export async function assertGives(from: ObjectStore, entry: CatalogEntry, { origin, releases }: Origin): Promise<void> {
  const refused = (why: string) => new AppError('usage', `${from.url} can't give files to ${origin.url}: ${why}`);
  if (from.url === origin.url) throw refused('it is the same store');
  const { catalog } = await loadCatalog(from);
  if (catalog === undefined) {
    const { found, faults } = await lookForRelease(entry, [from]);
    if (found === undefined) throw refused(`it has no catalog, and not this release: ${faults.join('; ')}`);
  } else if (!isSameRecord({ releases }, catalog)) throw refused('it holds another record');
}

/** Throws `usage` where a store, which has this catalog, can't have a copy of a release. */
export function assertTakes(second: ObjectStore, catalog: Catalog | undefined, { origin, releases }: Origin): void {
  if (catalog === undefined || isSameRecord({ releases }, catalog)) return;
  throw new AppError('usage', `${second.url} can't have a copy from ${origin.url}: it holds another record`);
}

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
async function lookForRelease(
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

export interface ListInput {
  readonly entry: CatalogEntry;
  /** The entry's `prev`: which release it continues; undefined for the first night. */
  readonly prevSha256: string | undefined;
  /** The target's catalog as it was before the release's files were looked at; the swap replaces exactly this one. */
  readonly loaded: LoadedCatalog;
}

/**
 * Makes a release that has been copied live in its second store, where it continues the newest one there; an empty store
 * can begin with the first night only. A store whose releases didn't follow from each other could be neither proven nor
 * continued. Resolves to why the release is not listed, or to undefined where it now is. Rejects with
 * `precondition_failed` where the catalog was swapped meanwhile.
 */
export async function listRelease(target: ObjectStore, input: ListInput): Promise<string | undefined> {
  const { entry, prevSha256, loaded } = input;
  const newest = newestEntry(loaded.catalog);
  if (newest?.release_sha256 !== prevSha256) return whyNot(target.url, input);
  if (loaded.catalog === undefined) {
    const published = await findUnlisted(target, undefined, 'all');
    if (published.some((release) => releaseId(release) !== releaseId(entry))) return whyNoCatalog(target);
  }
  await swapCatalog(target, loaded, { releases: [...(loaded.catalog?.releases ?? []), entry] });
  return undefined;
}

function whyNot(url: string, { entry, prevSha256, loaded }: ListInput): string {
  const newest = newestEntry(loaded.catalog);
  if (newest === undefined) return `${url} is empty, and ${entry.day} is not the first night; begin with that one`;
  const own = prevSha256 === undefined ? 'is a first night' : 'continues another release';
  return `the newest snapshot of ${url} is ${newest.day}, and ${entry.day} ${own}`;
}
