import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fetchBackfill } from '../../../storage/backfill-objects.ts';
import { loadCatalog } from '../../../storage/catalog.ts';
import { Database } from '../../../storage/duckdb/database.ts';
import type { RawRow } from '../../../storage/duckdb/row-shape.ts';
import type { ObjectStore } from '../../../storage/object-store.ts';
import { rawRows } from '../storage/raw-rows.ts';

/** The rows of the backfill that the store's catalog lists; undefined where it lists none. */
export async function readIntervals(store: ObjectStore): Promise<readonly RawRow[] | undefined> {
  const { catalog } = await loadCatalog(store);
  const backfill = catalog?.backfill?.pricing ?? undefined;
  if (backfill === undefined) return undefined;
  const scratch = await mkdtemp(join(tmpdir(), 'modelstats-read-'));
  const database = await Database.open(':memory:', { memoryLimit: '200MB', threads: 1, tempFolder: scratch });
  try {
    const path = join(scratch, 'pricing.parquet');
    await fetchBackfill(store, backfill, path);
    return await rawRows(database, 'FROM read_parquet($1)', [path]);
  } finally {
    database.close();
    await rm(scratch, { recursive: true, force: true });
  }
}
