import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { CatalogEntry } from '../../schemas/catalog.ts';
import { DATASET_NAMES, type DatasetName } from '../../schemas/datasets.ts';
import { loadRelease } from '../../storage/catalog.ts';
import { fetchLines } from '../../storage/fetch-object.ts';
import type { ObjectStore } from '../../storage/object-store.ts';

/** The unpacked lines of the snapshot that a replay starts from; kept from one release to the next. */
export class SnapshotLines {
  readonly #store: ObjectStore;
  readonly #folder: string;
  /** Hash of the release.json whose lines lie in the folder. */
  #held: string | undefined;

  constructor(store: ObjectStore, folder: string) {
    this.#store = store;
    this.#folder = folder;
  }

  /** The path of a dataset's lines of the snapshot before. */
  previous(dataset: DatasetName): string {
    return join(this.#folder, `${dataset}.previous`);
  }

  /** Where a dataset's lines of the snapshot at hand are to be unpacked. */
  current(dataset: DatasetName): string {
    return join(this.#folder, `${dataset}.lines`);
  }

  /** Makes the lines at hand the ones before, for the next release. */
  async shift(entry: CatalogEntry): Promise<void> {
    for (const name of DATASET_NAMES) await rename(this.current(name), this.previous(name));
    this.#held = entry.release_sha256;
  }

  /** Fetches the lines of the snapshot before where they aren't the ones held. */
  async require(entry: CatalogEntry): Promise<void> {
    if (this.#held === entry.release_sha256) return;
    const release = await loadRelease(this.#store, entry);
    for (const name of DATASET_NAMES) await fetchLines(this.#store, release, name, this.current(name));
    await this.shift(entry);
  }
}
