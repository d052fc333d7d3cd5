import { join } from 'node:path';
import { isAppError } from '../../runtime/errors.ts';
import type { PricingBackfill } from '../../schemas/catalog.ts';
import { fetchBackfill, markBackfill } from '../../storage/backfill-objects.ts';
import { type LoadedCatalog, swapCatalog } from '../../storage/catalog.ts';
import type { Database } from '../../storage/duckdb/database.ts';
import { fetchObject } from '../../storage/fetch-object.ts';
import { hashFile } from '../../storage/hash.ts';
import { backfillKey } from '../../storage/keys.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import { hasSameIntervals, type Placement, writeIntervals } from './place.ts';

export interface CommitDeps {
  readonly store: ObjectStore;
  readonly database: Database;
  readonly scratch: string;
}

export interface Candidate {
  readonly run: string;
  readonly placement: Placement;
  /** Of the table's file. */
  readonly tableSha256: string;
}

/**
 * True where the backfill in force has exactly the rows of `placed`. One that is gone or damaged has not: running the same
 * table again replaces it.
 */
export async function isInForce(current: PricingBackfill, { store, database, scratch }: CommitDeps): Promise<boolean> {
  const path = join(scratch, 'in-force.parquet');
  try {
    await fetchBackfill(store, current, path);
  } catch (error) {
    if (isAppError(error, 'not_found') || isAppError(error, 'corrupt')) return false;
    throw error;
  }
  return hasSameIntervals(database, path);
}

/**
 * Makes `placed` the backfill in force: uploads it under a key of its own, reads it back, swaps the catalog (specification
 * "Conditional writes"). Rejects with `precondition_failed` when another process swapped first; the object is an orphan
 * then.
 */
export async function commitBackfill(candidate: Candidate, catalog: LoadedCatalog, deps: CommitDeps): Promise<void> {
  const { store, database, scratch } = deps;
  const { run, placement, tableSha256 } = candidate;
  const path = join(scratch, `pricing.${run}.parquet`);
  await writeIntervals(database, path);
  const file = await hashFile(path);
  const key = backfillKey(run);
  await store.putFile(key, path, { ifAbsent: true });
  await fetchObject(store, { key, ...file }, join(scratch, 'read-back.parquet'));
  const { intervals, first_day, last_day } = placement;
  const backfill = { run, ...file, intervals, first_day, last_day, table_sha256: tableSha256 };
  await swapCatalog(store, catalog, { backfill: { pricing: backfill } });
  await markBackfill(store, backfill);
}
