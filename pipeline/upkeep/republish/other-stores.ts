/**
 * Stores may exchange a release's files only if they hold the same series (specification "Identity of a store";
 * decision 0043). Hashes already prevent damage; the check tells the operator about a wrong store.
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

export interface Origin {
  readonly origin: ObjectStore;
  readonly releases: readonly CatalogEntry[];
}

/**
 * Rejects with `usage` where a store can't give the files. One without a catalog must have exactly the release.json
 * that the catalog here names.
 */
export async function assertGives(from: ObjectStore, entry: CatalogEntry, { origin, releases }: Origin): Promise<void> {
  const refused = (why: string) => new AppError('usage', `${from.url} can't give files to ${origin.url}: ${why}`);
  if (from.url === origin.url) throw refused('it is the same store');
  const { catalog } = await loadCatalog(from);
  if (catalog === undefined) {
    const { found, faults } = await searchRelease(entry, [from]);
    if (found === undefined) throw refused(`it has neither a catalog nor this release: ${faults.join('; ')}`);
  } else if (!isSameRecord({ releases }, catalog)) throw refused('it has other releases');
}

/** Throws `usage` where it can't receive them. */
export function assertTakes(second: ObjectStore, catalog: Catalog | undefined, { origin, releases }: Origin): void {
  if (catalog === undefined || isSameRecord({ releases }, catalog)) return;
  throw new AppError('usage', `${second.url} can't have a copy from ${origin.url}: it has other releases`);
}

export interface FoundRelease {
  /** As published, without repairs. */
  readonly release: Release;
  readonly body: Buffer;
  readonly from: string;
}

/**
 * The release.json that a catalog names: itself, its copy `published`, or either from another store. Rejects with
 * `corrupt` and all faults where none has the recorded hash.
 */
export async function findRelease(ref: ReleaseRef, stores: readonly ObjectStore[]): Promise<FoundRelease> {
  const { found, faults } = await searchRelease(ref, stores);
  if (found !== undefined) return found;
  const remedy = `restore it from another store: modelstats republish ${ref.day} --from STORE`;
  throw new AppError('corrupt', `${faults.join('; ')}; ${remedy}`);
}

/** With the faults of places tried before. */
async function searchRelease(
  ref: ReleaseRef,
  stores: readonly ObjectStore[],
): Promise<{ readonly found: FoundRelease | undefined; readonly faults: readonly string[] }> {
  const faults: string[] = [];
  for (const store of stores) {
    for (const path of [RELEASE_PATHS.release, RELEASE_PATHS.published]) {
      const found = await readRelease(ref, store, path);
      if (typeof found !== 'string') return { found, faults };
      faults.push(found);
    }
  }
  return { found: undefined, faults };
}

/** Resolves to the fault where it isn't the recorded object. */
async function readRelease(ref: ReleaseRef, store: ObjectStore, path: string): Promise<FoundRelease | string> {
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
  /** The predecessor; undefined for the first night. */
  readonly prevSha256: string | undefined;
  /** Loaded before the files were checked. */
  readonly loaded: LoadedCatalog;
}

/**
 * Lists a copied release after the newest one of its second store; an empty store begins with the first night, since a
 * release without its predecessor can't be verified or continued. Resolves to why it is not listed, or to undefined.
 * Rejects with `precondition_failed` where the catalog was swapped meanwhile.
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
