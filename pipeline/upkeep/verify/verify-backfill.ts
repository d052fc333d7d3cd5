import { join } from 'node:path';
import { isAppError, messageFromError } from '../../../runtime/errors.ts';
import type { Catalog, PricingBackfill } from '../../../schemas/catalog.ts';
import { fetchBackfill } from '../../../storage/backfill-objects.ts';
import type { Database } from '../../../storage/duckdb/database.ts';
import { nullable, number, text } from '../../../storage/duckdb/row-shape.ts';
import { backfillKey } from '../../../storage/keys.ts';
import { getBounds, type StateDeps } from '../../backfill/bounds.ts';
import type { Problem } from './problem.ts';

/**
 * Proves the reconstructed prices that a catalog lists, which belong to no snapshot: they are the recorded file, with the
 * recorded intervals and days, and all of them lie before the first captured pricing day.
 */
export async function verifyBackfill(
  catalog: Catalog | undefined,
  { store, database, scratch }: StateDeps,
): Promise<readonly Problem[]> {
  const backfill = catalog?.backfill?.pricing ?? undefined;
  if (backfill === undefined) return [];
  try {
    const path = join(scratch, 'pricing.parquet');
    await fetchBackfill(store, backfill, path);
    const found = await readIntervals(path, database);
    const { firstCaptured } = getBounds(catalog, null);
    return findProblems(backfill, found, firstCaptured).map((message) => problemOf(backfill, message));
  } catch (error) {
    if (isAppError(error, 'store_unavailable')) throw error;
    return [problemOf(backfill, messageFromError(error))];
  }
}

type Intervals = Pick<PricingBackfill, 'intervals' | 'first_day' | 'last_day'>;

function readIntervals(path: string, database: Database): Promise<Intervals> {
  return database.row(
    { intervals: number, first_day: nullable(text), last_day: nullable(text) },
    `SELECT count(*)::DOUBLE AS intervals, min(valid_from)::VARCHAR AS first_day, max(valid_to)::VARCHAR AS last_day
     FROM read_parquet($1)`,
    [path],
  );
}

function findProblems(recorded: Intervals, found: Intervals, firstCaptured: string): readonly string[] {
  const isRecorded = (['intervals', 'first_day', 'last_day'] as const).every((name) => recorded[name] === found[name]);
  return [
    ...(isRecorded ? [] : ['the catalog says other than its intervals']),
    ...(found.last_day !== null && found.last_day >= firstCaptured
      ? [`it reaches to ${found.last_day}, and pricing is captured since ${firstCaptured}`]
      : []),
  ];
}

function problemOf({ run }: PricingBackfill, message: string): Problem {
  return { snapshot: backfillKey(run), message };
}
