import type { CatalogEntry } from '../../../schemas/catalog.ts';
import { type LoadedCatalog, newestEntry, swapCatalog } from '../../../storage/catalog.ts';
import { findUnlisted, whyNoCatalog } from '../../../storage/continue-catalog.ts';
import { releaseId } from '../../../storage/keys.ts';
import type { ObjectStore } from '../../../storage/object-store.ts';

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
