import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Day } from '../../runtime/day.ts';
import { DATASETS } from '../../schemas/datasets.ts';
import { loadRelease, newestEntry } from '../../storage/catalog.ts';
import { loadCatalogToContinue } from '../../storage/continue-catalog.ts';
import type { DuckDBLimits } from '../../storage/duckdb/database.ts';
import { nullable, text } from '../../storage/duckdb/row-shape.ts';
import { fetchReleaseFile } from '../../storage/fetch-object.ts';
import { RELEASE_PATHS } from '../../storage/keys.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import { withScratch } from '../run/scratch.ts';
import type { NamedModel } from './suggest-aliases.ts';

const MODEL = { id: text, name: text, organization: nullable(text) };

/** The names of all models of the newest snapshot; undefined where nothing is published. Only reads. */
export async function readModels(
  store: ObjectStore,
  duckdb: DuckDBLimits,
): Promise<{ readonly day: Day; readonly models: readonly NamedModel[] } | undefined> {
  const entry = newestEntry((await loadCatalogToContinue(store)).catalog);
  if (entry === undefined) return undefined;
  const release = await loadRelease(store, entry);
  const models = await withScratch({ workFolder: tmpdir(), prefix: 'modelstats-', duckdb }, async (scratch) => {
    const path = join(scratch.folder, 'models.parquet');
    await fetchReleaseFile(store, release, RELEASE_PATHS.state(DATASETS.models.name), path);
    return scratch.database.rows(MODEL, 'SELECT id, name, organization FROM read_parquet($1) ORDER BY id', [path]);
  });
  return { day: entry.day, models };
}
