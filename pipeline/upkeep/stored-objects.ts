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

/** An object of a release, with its path inside it. */
export interface ReleaseObject extends ListedObject {
  readonly path: string;
}

/** An object of a backfill: its intervals, or the mark that it was live. */
export interface BackfillObject extends ListedObject {
  readonly isMark: boolean;
}

/** What the store holds, live or not. Keys that are neither a release's nor a backfill's are left out, and so left alone. */
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

/** The objects of every release, live or not, by `<day>.<run>`. */
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

/** True for a path of a release whose part the catalog still lists. */
export function isListed({ parts }: Pick<CatalogEntry, 'parts'>, path: string): boolean {
  const part = partOfPath(path);
  return part === undefined || parts.includes(part);
}

/** Objects that go together, and why. */
export interface Removal {
  /** `<day>.<run>` of a release, `pricing.<run>` of a backfill. */
  readonly name: string;
  /** A part of a live release, a whole release that is not live, or a backfill that is not in force. */
  readonly what: ReleasePart | 'orphan' | 'backfill';
  readonly reason: string;
  /** In the order in which they are to be deleted. */
  readonly keys: readonly string[];
  readonly bytes: number;
}

/** The objects' part of a removal. */
export function contentOf(objects: readonly ListedObject[]): Pick<Removal, 'keys' | 'bytes'> {
  return { keys: objects.map(({ key }) => key), bytes: objects.reduce((sum, { bytes }) => sum + bytes, 0) };
}

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
