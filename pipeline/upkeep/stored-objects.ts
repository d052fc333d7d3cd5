import type { CatalogEntry, ReleasePart } from '../../schemas/catalog.ts';
import {
  BACKFILL_PREFIX,
  backfillFromKey,
  partOfPath,
  RELEASES_PREFIX,
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
