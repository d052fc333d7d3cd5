import { join } from 'node:path';
import type { Day } from '../../runtime/day.ts';
import { AppError } from '../../runtime/errors.ts';
import type { Catalog, CatalogEntry } from '../../schemas/catalog.ts';
import { loadRelease } from '../../storage/catalog.ts';
import type { Database } from '../../storage/duckdb/database.ts';
import { fetchReleaseFile } from '../../storage/fetch-object.ts';
import { RELEASE_PATHS } from '../../storage/keys.ts';
import type { ObjectStore } from '../../storage/object-store.ts';

/** The days between which prices may be reconstructed. */
export interface Bounds {
  /** The first day that may have a reconstructed price; null where nothing bounds it. */
  readonly from: Day | null;
  /** The first day on which pricing was captured: itself and everything after it has no reconstructed price. */
  readonly firstCaptured: Day;
}

/** Rejects with `not_found` where no pricing was captured yet, with `usage` where `from` leaves no day. */
export function getBounds(catalog: Catalog | undefined, from: Day | null): Bounds {
  const firstCaptured = catalog?.releases.find(({ captured }) => captured.includes('pricing'))?.day;
  if (firstCaptured === undefined) {
    throw new AppError(
      'not_found',
      'the store holds no day with captured pricing; a backfill ends on the day before the first one, so publish it first',
    );
  }
  if (from !== null && from >= firstCaptured) {
    throw new AppError('usage', `--from ${from} leaves no day: pricing is captured since ${firstCaptured}`);
  }
  return { from, firstCaptured };
}

export interface StateDeps {
  readonly store: ObjectStore;
  readonly database: Database;
  readonly scratch: string;
}

/** Fills `known_models` with every model that is in the newest state or was removed from an earlier one. */
export async function loadKnownModels(entry: CatalogEntry, { store, database, scratch }: StateDeps): Promise<void> {
  const release = await loadRelease(store, entry);
  const [models, removed] = [join(scratch, 'models.parquet'), join(scratch, 'removed.parquet')];
  await fetchReleaseFile(store, release, RELEASE_PATHS.state('models'), models);
  await fetchReleaseFile(store, release, RELEASE_PATHS.removed, removed);
  await database.run(
    `CREATE OR REPLACE TABLE known_models AS SELECT id FROM read_parquet($1)
     UNION SELECT id FROM read_parquet($2) WHERE dataset = 'models'`,
    [models, removed],
  );
}
