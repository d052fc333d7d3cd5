import type { DatasetFile } from '../../../schemas/manifest.ts';
import { releaseKey, snapshotPaths } from '../../../storage/keys.ts';
import type { View } from '../../view/view.ts';
import { dayFromSnapshot } from '../../view/view-meta.ts';

/** The files of all snapshots that a view knows, by their keys in the store, as their manifests describe them. */
export class PublishedFiles {
  readonly #views: { current(): Pick<View, 'meta'> };
  readonly #files = new WeakMap<Pick<View, 'meta'>, ReadonlyMap<string, DatasetFile>>();

  constructor(views: { current(): Pick<View, 'meta'> }) {
    this.#views = views;
  }

  /** Undefined for any other key, one of a snapshot that was pruned, too. Throws `unavailable` before there is a view. */
  find(key: string): DatasetFile | undefined {
    const view = this.#views.current();
    const known = this.#files.get(view);
    if (known !== undefined) return known.get(key);
    const files = filesOf(view);
    this.#files.set(view, files);
    return files.get(key);
  }
}

function filesOf({ meta: { catalog, manifests } }: Pick<View, 'meta'>): ReadonlyMap<string, DatasetFile> {
  const releases = new Map(catalog.releases.map((release) => [release.day, release]));
  const files = manifests.flatMap((manifest) => {
    const release = releases.get(dayFromSnapshot(manifest));
    if (release === undefined) return [];
    return manifest.datasets.map(
      (file) => [releaseKey(release, snapshotPaths(manifest).dataset(file.name)), file] as const,
    );
  });
  return new Map(files);
}
