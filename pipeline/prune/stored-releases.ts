import { RELEASES_PREFIX, type ReleaseName, releaseFromKey, releaseId } from '../../storage/keys.ts';
import type { ListedObject, ObjectStore } from '../../storage/object-store.ts';

/** An object of a release, with its path inside it. */
export interface ReleaseObject extends ListedObject {
  readonly path: string;
}

/** Everything that lies under a release's prefix, live or not. */
export interface StoredRelease {
  readonly name: ReleaseName;
  readonly objects: readonly ReleaseObject[];
}

/** What the store holds under `releases/`, by `<day>.<run>`. Keys that are no release's are left out, and so left alone. */
export async function listStoredReleases(store: ObjectStore): Promise<ReadonlyMap<string, StoredRelease>> {
  const found = new Map<string, { name: ReleaseName; objects: ReleaseObject[] }>();
  for await (const object of store.list(RELEASES_PREFIX)) {
    const name = releaseFromKey(object.key);
    if (name === undefined) continue;
    const release = found.get(releaseId(name)) ?? { name: { day: name.day, run: name.run }, objects: [] };
    release.objects.push({ ...object, path: name.path });
    found.set(releaseId(name), release);
  }
  return found;
}
