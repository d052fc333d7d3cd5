/**
 * Whether another store may give a release's files, or get them: only where it holds the same record (specification "Identity of a
 * store"; decision 0043). Files are taken by their recorded hash alone, so a wrong store could damage nothing; but whoever names
 * it is mistaken, and has to hear that rather than that this file and that can't be had.
 */

import { AppError } from '../../../runtime/errors.ts';
import { type Catalog, type CatalogEntry, isSameRecord } from '../../../schemas/catalog.ts';
import { loadCatalog } from '../../../storage/catalog.ts';
import type { ObjectStore } from '../../../storage/object-store.ts';
import { lookForRelease } from './find-release.ts';

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
