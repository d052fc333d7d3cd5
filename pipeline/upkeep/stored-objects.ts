import { timestampFromDate } from '../../runtime/day.ts';
import type { Catalog, CatalogEntry, ReleasePart } from '../../schemas/catalog.ts';
import { listedReleases } from '../../storage/catalog.ts';
import {
  BACKFILL_PREFIX,
  backfillFromKey,
  partOfPath,
  RELEASE_PATHS,
  RELEASES_PREFIX,
  type ReleaseName,
  releaseFromKey,
  releaseId,
} from '../../storage/keys.ts';
import type { ListedObject, ObjectStore } from '../../storage/object-store.ts';

export interface ReleaseObject extends ListedObject {
  readonly path: string;
}

/** Its intervals, or the mark that it was live. */
export interface BackfillObject extends ListedObject {
  readonly isMark: boolean;
}

/** Other keys are ignored, so never deleted. */
export interface StoredObjects {
  /** By `<day>.<run>`. */
  readonly releases: ReadonlyMap<string, readonly ReleaseObject[]>;
  /** By run. */
  readonly backfills: ReadonlyMap<string, readonly BackfillObject[]>;
}

export async function listStoredObjects(store: ObjectStore): Promise<StoredObjects> {
  const releases = await listReleaseObjects(store);
  const backfills = new Map<string, BackfillObject[]>();
  for await (const object of store.list(BACKFILL_PREFIX)) {
    const name = backfillFromKey(object.key);
    if (name !== undefined) addTo(backfills, name.run, { ...object, isMark: name.isMark });
  }
  return { releases, backfills };
}

/** By `<day>.<run>`. */
export async function listReleaseObjects(store: ObjectStore): Promise<StoredObjects['releases']> {
  const releases = new Map<string, ReleaseObject[]>();
  for await (const object of store.list(RELEASES_PREFIX)) {
    const name = releaseFromKey(object.key);
    if (name !== undefined) addTo(releases, releaseId(name), { ...object, path: name.path });
  }
  return releases;
}

function addTo<T>(groups: Map<string, T[]>, id: string, object: T): void {
  const group = groups.get(id);
  if (group === undefined) groups.set(id, [object]);
  else group.push(object);
}

export function isListed({ parts }: Pick<CatalogEntry, 'parts'>, path: string): boolean {
  const part = partOfPath(path);
  return part === undefined || parts.includes(part);
}

export interface Removal {
  /** `<day>.<run>` of a release, `pricing.<run>` of a backfill. */
  readonly name: string;
  /** A part of a live release, a release that is not live, or a backfill not in force. */
  readonly what: ReleasePart | 'orphan' | 'backfill';
  readonly reason: string;
  /** In order of deletion. */
  readonly keys: readonly string[];
  readonly bytes: number;
}

export function contentOf(objects: readonly ListedObject[]): Pick<Removal, 'keys' | 'bytes'> {
  return { keys: objects.map(({ key }) => key), bytes: objects.reduce((sum, { bytes }) => sum + bytes, 0) };
}

/**
 * How long unlisted objects stay after their last write. Shorter: a running night may lose files and fail; no night
 * takes a day. Longer only costs storage.
 */
const ORPHAN_AGE_MS = 24 * 60 * 60 * 1000;

export interface Suspicious {
  /** `<day>.<run>` of a release, `pricing.<run>` of a backfill. */
  readonly name: string;
  readonly reason: string;
  /** Undefined for a backfill. */
  readonly release: ReleaseName | undefined;
}

interface Orphans {
  readonly removals: readonly Removal[];
  readonly suspicious: readonly Suspicious[];
}

export interface OrphansInput {
  readonly catalog: Catalog | undefined;
  readonly stored: StoredObjects;
  readonly now: Date;
}

/**
 * Unlisted releases and backfills, last written more than a day ago.
 *
 * One that was live without a replacement indicates a lost or exchanged catalog: it is reported, and no orphan is
 * removed, because any may have been live. Nor without a catalog, where everything looks like an orphan.
 */
export function findOrphans(input: OrphansInput): Orphans {
  const strays = [...strayReleases(input), ...strayBackfills(input)];
  const reason = 'it was live, but the catalog does not name it; check that this is the right catalog';
  const lost = strays.filter(({ isLost }) => isLost);
  const suspicious = lost.map(({ name, release }) => ({ name, reason, release }));
  if (input.catalog === undefined || suspicious.length > 0) return { removals: [], suspicious };
  const oldest = input.now.getTime() - ORPHAN_AGE_MS;
  const old = strays.filter(({ objects }) => lastWriteMs(objects) < oldest);
  return { removals: old.map(removalFrom), suspicious };
}

interface Stray {
  readonly name: string;
  readonly what: 'orphan' | 'backfill';
  readonly release: ReleaseName | undefined;
  /** It was live, and nothing explains why it no longer is. */
  readonly isLost: boolean;
  readonly reason: string;
  /** First what makes it look complete, in case only some are deleted. */
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

/** Runs sort by time, so an earlier backfill was replaced. */
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
