import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CatalogEntry } from '../../../schemas/catalog.ts';
import { DATASET_NAMES } from '../../../schemas/datasets.ts';
import type { Release, ReleaseFile } from '../../../schemas/release.ts';
import { loadCatalog, loadRelease } from '../../../storage/catalog.ts';
import { type Database, sqlText } from '../../../storage/duckdb/database.ts';
import { nullable, number, text } from '../../../storage/duckdb/row-shape.ts';
import { fetchReleaseFile, getReleaseFile } from '../../../storage/fetch-object.ts';
import { hashStream } from '../../../storage/hash.ts';
import { RELEASE_PATHS, releaseId, releaseKey } from '../../../storage/keys.ts';
import type { ObjectStore } from '../../../storage/object-store.ts';

export interface StoreContents {
  readonly releases: readonly CatalogEntry[];
  /** `day dataset sha256` of every public snapshot file, oldest first. */
  readonly snapshots: readonly string[];
  /** Every event in the feed's order, as `[seq, entity_type, entity_id, op, data]`. */
  readonly events: readonly (readonly unknown[])[];
}

/** Reads a store as its readers do; throws where the catalog, or anything it names, is not whole. */
export async function readContents(store: ObjectStore, database: Database): Promise<StoreContents> {
  const releases = (await loadCatalog(store)).catalog?.releases ?? [];
  const loaded = await Promise.all(releases.map((entry) => loadRelease(store, entry)));
  const scratch = await mkdtemp(join(tmpdir(), 'modelstats-published-'));
  try {
    await Promise.all(loaded.map((release) => assertWhole(store, release)));
    return {
      releases,
      snapshots: loaded.flatMap(snapshotsOf),
      events: await readEvents(store, loaded, database, scratch),
    };
  } finally {
    await rm(scratch, { recursive: true });
  }
}

function snapshotsOf(release: Release): readonly string[] {
  return DATASET_NAMES.map(
    (name) => `${release.day} ${name} ${getReleaseFile(release, RELEASE_PATHS.snapshot(name)).sha256}`,
  );
}

async function assertWhole(store: ObjectStore, release: Release): Promise<void> {
  const assertSame = async ({ path, sha256, bytes }: ReleaseFile) => {
    const key = releaseKey(release, path);
    const found = await hashStream(await store.stream(key));
    if (found.sha256 !== sha256 || found.bytes !== bytes) throw new Error(`${key} is not what was recorded`);
  };
  await Promise.all(release.files.map(assertSame));
}

async function readEvents(store: ObjectStore, releases: readonly Release[], database: Database, folder: string) {
  if (releases.length === 0) return [];
  const fetched = async (release: Release) => {
    const to = join(folder, releaseId(release));
    await fetchReleaseFile(store, release, RELEASE_PATHS.changes, to);
    return sqlText(to);
  };
  const files = await Promise.all(releases.map(fetched));
  const rows = await database.rows(
    { seq: number, entity_type: text, entity_id: text, op: text, data: nullable(text) },
    `SELECT seq::DOUBLE AS seq, entity_type, entity_id, op, data FROM read_parquet([${files.join(', ')}]) ORDER BY seq`,
  );
  return rows.map(({ seq, entity_type, entity_id, op, data }) => [seq, entity_type, entity_id, op, data]);
}
