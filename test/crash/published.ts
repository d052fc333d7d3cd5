import { join } from 'node:path';
import type { CatalogEntry } from '../../schemas/catalog.ts';
import { DATASET_NAMES } from '../../schemas/datasets.ts';
import type { Release } from '../../schemas/release.ts';
import { loadCatalog, loadRelease } from '../../storage/catalog.ts';
import { type Database, sqlText } from '../../storage/duckdb.ts';
import { FileStore } from '../../storage/file-store.ts';
import { hashStream } from '../../storage/hash.ts';
import { RELEASE_PATHS, releaseKey } from '../../storage/keys.ts';
import { getReleaseFile } from '../../storage/release-files.ts';

/** Everything that readers of a store can see. */
export interface Published {
  readonly releases: readonly CatalogEntry[];
  /** `day dataset sha256` of every public snapshot file, oldest first. */
  readonly snapshots: readonly string[];
  /** Every event in the feed's order, as `[seq, entity_type, entity_id, op, data]`. */
  readonly events: readonly (readonly unknown[])[];
}

/** Reads a store as its readers do; throws where the catalog, or anything it names, is not whole. */
export async function readPublished(folder: string, database: Database): Promise<Published> {
  const store = new FileStore(folder);
  const releases = (await loadCatalog(store)).catalog?.releases ?? [];
  const snapshots: string[] = [];
  for (const entry of releases) {
    const release = await loadRelease(store, entry);
    await assertWhole(store, release);
    for (const name of DATASET_NAMES) {
      snapshots.push(`${entry.day} ${name} ${getReleaseFile(release, RELEASE_PATHS.snapshot(name)).sha256}`);
    }
  }
  return { releases, snapshots, events: await readEvents(folder, releases, database) };
}

async function assertWhole(store: FileStore, release: Release): Promise<void> {
  for (const file of release.files) {
    const key = releaseKey(release, file.path);
    const found = await hashStream(await store.stream(key));
    if (found.sha256 !== file.sha256 || found.bytes !== file.bytes) throw new Error(`${key} is not what was recorded`);
  }
}

async function readEvents(folder: string, releases: readonly CatalogEntry[], database: Database) {
  if (releases.length === 0) return [];
  const files = releases.map((entry) => sqlText(join(folder, releaseKey(entry, RELEASE_PATHS.changes))));
  const rows = await database.rows(
    `SELECT seq::DOUBLE AS seq, entity_type, entity_id, op, data FROM read_parquet([${files.join(', ')}]) ORDER BY seq`,
  );
  return rows.map(({ seq, entity_type, entity_id, op, data }) => [seq, entity_type, entity_id, op, data]);
}
