import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { CatalogEntry } from '../../schemas/catalog.ts';
import { DATASET_NAMES, type DatasetName } from '../../schemas/datasets.ts';
import { loadRelease } from '../../storage/catalog.ts';
import { fetchLines } from '../../storage/fetch-object.ts';
import type { ObjectStore } from '../../storage/object-store.ts';

/** Unpacked lines of the snapshot where the next replay starts. */
export class SnapshotLines {
  readonly #store: ObjectStore;
  readonly #folder: string;
  /** Hash of the release.json whose lines are in the folder. */
  #held: string | undefined;

  constructor(store: ObjectStore, folder: string) {
    this.#store = store;
    this.#folder = folder;
  }

  /** Of the previous snapshot. */
  previous(dataset: DatasetName): string {
    return join(this.#folder, `${dataset}.previous`);
  }

  /** To be unpacked there. */
  current(dataset: DatasetName): string {
    return join(this.#folder, `${dataset}.lines`);
  }

  /** For the next release. */
  async shift(entry: CatalogEntry): Promise<void> {
    for (const name of DATASET_NAMES) await rename(this.current(name), this.previous(name));
    this.#held = entry.release_sha256;
  }

  /** Fetches the previous snapshot's lines unless present. */
  async require(entry: CatalogEntry): Promise<void> {
    if (this.#held === entry.release_sha256) return;
    const release = await loadRelease(this.#store, entry);
    for (const name of DATASET_NAMES) await fetchLines(this.#store, release, name, this.current(name));
    await this.shift(entry);
  }
}
