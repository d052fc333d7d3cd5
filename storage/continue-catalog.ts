/**
 * The catalog for whoever is about to continue the series, or to prove it (decision 0042). A catalog that was restored from an
 * older copy can be read and is in order, but releases that were published after that copy lie beside it: to go on from it would
 * give their seqs a second meaning. Such a release carries the mark `published` (decision 0006), and prune never removes it.
 */

import { AppError } from '../runtime/errors.ts';
import type { Catalog } from '../schemas/catalog.ts';
import { type LoadedCatalog, loadCatalog, newestEntry } from './catalog.ts';
import { RELEASE_PATHS, RELEASES_PREFIX, type ReleaseName, releaseFromKey, releaseId } from './keys.ts';
import type { ObjectStore } from './object-store.ts';

/**
 * Where to look for published releases that the catalog lacks: `newest` reads the names of the newest day and those after it,
 * whatever the store's age, and finds a catalog of an earlier night; `all` reads every name.
 */
export type LookedAt = 'newest' | 'all';

/**
 * Loads the catalog. Rejects with `corrupt`, saying how to mend it, where it is not one, is out of order, or lacks a release
 * that was published; also where there is none at all but releases that were.
 */
export async function loadCatalogToContinue(store: ObjectStore, looked: LookedAt = 'newest'): Promise<LoadedCatalog> {
  const loaded = await loadCatalog(store);
  const unlisted = await findUnlisted(store, loaded.catalog, looked);
  if (unlisted.length === 0) return loaded;
  // They may have become live between the two looks.
  const again = await loadCatalog(store);
  const lost = withoutListed(unlisted, again.catalog);
  if (lost.length === 0) return again;
  throw new AppError('corrupt', again.catalog === undefined ? whyNoCatalog(store) : whyUnlisted(store, lost));
}

/** For people: what to do with a store that has published releases but no catalog. */
export function whyNoCatalog({ url }: ObjectStore): string {
  return `${url} has published releases but no catalog; rebuild it first: modelstats catalog rebuild`;
}

/** For people: what to do with a store whose catalog lacks releases. */
export function whyUnlisted({ url }: ObjectStore, lost: readonly ReleaseName[]): string {
  const were = lost.length === 1 ? 'was' : 'were';
  return (
    `${url}: ${lost.map(releaseId).join(', ')} ${were} published, but catalog.json does not name it: is it an older copy? ` +
    'To go on from it would number the feed a second time; rebuild it first: modelstats catalog rebuild'
  );
}

/** As many as a message names. */
const UNLISTED_MAX = 3;

/** Releases that were published and that a catalog doesn't name, at most {@link UNLISTED_MAX}, oldest first. */
export async function findUnlisted(
  store: ObjectStore,
  catalog: Catalog | undefined,
  looked: LookedAt,
): Promise<readonly ReleaseName[]> {
  const newest = looked === 'newest' ? newestEntry(catalog)?.day : undefined;
  const options = newest === undefined ? {} : { startAfter: `${RELEASES_PREFIX}${newest}` };
  const listed = listedReleases(catalog);
  const unlisted: ReleaseName[] = [];
  for await (const { key } of store.list(RELEASES_PREFIX, options)) {
    const release = releaseFromKey(key);
    if (release?.path !== RELEASE_PATHS.published || listed.has(releaseId(release))) continue;
    unlisted.push({ day: release.day, run: release.run });
    if (unlisted.length === UNLISTED_MAX) break;
  }
  return unlisted;
}

/** The names of the live releases, and those that they had before they were given their right day. */
export function listedReleases(catalog: Catalog | undefined): ReadonlySet<string> {
  const releases = catalog?.releases ?? [];
  return new Set([...releases, ...releases.flatMap(({ redated_from }) => redated_from ?? [])].map(releaseId));
}

/** The releases that a catalog doesn't name. */
function withoutListed(releases: readonly ReleaseName[], catalog: Catalog | undefined): readonly ReleaseName[] {
  const listed = listedReleases(catalog);
  return releases.filter((release) => !listed.has(releaseId(release)));
}
