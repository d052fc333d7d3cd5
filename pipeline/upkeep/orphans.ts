import { timestampFromDate } from '../../runtime/day.ts';
import type { Catalog } from '../../schemas/catalog.ts';
import { listedReleases } from '../../storage/catalog.ts';
import { RELEASE_PATHS, type ReleaseName, releaseFromKey, releaseId } from '../../storage/keys.ts';
import type { ListedObject } from '../../storage/object-store.ts';
import { contentOf, type Removal, type StoredObjects } from './stored-objects.ts';

/**
 * How long a release or backfill that the catalog doesn't name is left alone after its last write. No night takes a day.
 * Shorter could take files from a running one (which would then fail, never publish); longer only costs storage.
 */
const ORPHAN_AGE_MS = 24 * 60 * 60 * 1000;

/** What stays although nothing refers to it. */
export interface Suspicious {
  /** `<day>.<run>` of a release, `pricing.<run>` of a backfill. */
  readonly name: string;
  readonly reason: string;
  /** Which release it is; undefined of a backfill. */
  readonly release: ReleaseName | undefined;
}

export interface Orphans {
  readonly removals: readonly Removal[];
  readonly suspicious: readonly Suspicious[];
}

export interface OrphansInput {
  readonly catalog: Catalog | undefined;
  readonly stored: StoredObjects;
  readonly now: Date;
}

/**
 * Releases and backfills that the catalog doesn't name and that were last written more than a day ago.
 *
 * One that carries the mark of having been live, and that nothing in the catalog has replaced, tells of a lost or
 * exchanged catalog. It is reported, and as long as there is one no orphan goes: which of them were live can't be known
 * then. Nor does one go from a store without a catalog, where everything looks like an orphan.
 */
export function findOrphans(input: OrphansInput): Orphans {
  const strays = [...strayReleases(input), ...strayBackfills(input)];
  const reason = 'it was live once, but the catalog does not name it: is this the right catalog?';
  const lost = strays.filter(({ isLost }) => isLost);
  const suspicious = lost.map(({ name, release }) => ({ name, reason, release }));
  if (input.catalog === undefined || suspicious.length > 0) return { removals: [], suspicious };
  const oldest = input.now.getTime() - ORPHAN_AGE_MS;
  const old = strays.filter(({ objects }) => lastWriteMs(objects) < oldest);
  return { removals: old.map(removalFrom), suspicious };
}

/** Something that the catalog doesn't name. */
interface Stray {
  readonly name: string;
  readonly what: 'orphan' | 'backfill';
  readonly release: ReleaseName | undefined;
  /** True where it was live and nothing tells why it no longer is. */
  readonly isLost: boolean;
  readonly reason: string;
  /** What makes it look complete comes first: one that is deleted half-way must not be taken for whole. */
  readonly objects: readonly ListedObject[];
}

function strayReleases({ catalog, stored }: OrphansInput): readonly Stray[] {
  const live = new Set(catalog?.releases.map(releaseId));
  const listed = listedReleases(catalog);
  const strays = [...stored.releases].filter(([id]) => !live.has(id));
  return strays.map(([name, objects]) => ({
    name,
    what: 'orphan',
    release: releaseFromKey(objects[0]?.key ?? ''),
    reason: listed.has(name) ? 'published under another day' : 'never published',
    isLost: !listed.has(name) && objects.some(({ path }) => path === RELEASE_PATHS.published),
    objects: sortFirst(objects, ({ path }) => path === RELEASE_PATHS.release),
  }));
}

/** Runs are named so that a later one sorts after an earlier one: an earlier backfill than the one in force was replaced. */
function strayBackfills({ catalog, stored }: OrphansInput): readonly Stray[] {
  const current = catalog?.backfill?.pricing?.run ?? '';
  const strays = [...stored.backfills].filter(([run]) => run !== current);
  return strays.map(([run, objects]) => {
    const wasLive = objects.some(({ isMark }) => isMark);
    return {
      name: `pricing.${run}`,
      what: 'backfill',
      release: undefined,
      reason: wasLive ? 'replaced by a later one' : 'never published',
      isLost: wasLive && run > current,
      objects: sortFirst(objects, ({ isMark }) => isMark),
    };
  });
}

function sortFirst<T>(items: readonly T[], isFirst: (item: T) => boolean): readonly T[] {
  return [...items.filter(isFirst), ...items.filter((item) => !isFirst(item))];
}

function removalFrom({ name, what, reason, objects }: Stray): Removal {
  const written = timestampFromDate(new Date(lastWriteMs(objects)));
  return { name, what, reason: `${reason}, last written ${written}`, ...contentOf(objects) };
}

function lastWriteMs(objects: readonly ListedObject[]): number {
  return Math.max(...objects.map(({ modifiedAt }) => modifiedAt.getTime()));
}
