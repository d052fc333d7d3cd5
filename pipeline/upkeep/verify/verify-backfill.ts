import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Catalog, PricingBackfill } from '../../schemas/catalog.ts';
import { isAppError, messageFromError } from '../../schemas/errors.ts';
import { fetchBackfill } from '../../storage/backfill-objects.ts';
import { Database } from '../../storage/duckdb.ts';
import { backfillKey } from '../../storage/keys.ts';
import { getBounds } from '../backfill/bounds.ts';
import type { Problem, VerifyDeps } from './verify.ts';

/**
 * Proves the reconstructed prices that a catalog lists, which belong to no snapshot: they are the recorded file, with the
 * recorded intervals and days, and all of them lie before the first captured pricing day.
 */
export async function verifyBackfill(
  catalog: Catalog | undefined,
  deps: Omit<VerifyDeps, 'onSnapshot'>,
): Promise<readonly Problem[]> {
  const backfill = catalog?.backfill?.pricing ?? undefined;
  if (backfill === undefined) return [];
  await mkdir(deps.workFolder, { recursive: true });
  const scratch = await mkdtemp(join(deps.workFolder, 'verify-'));
  try {
    const path = join(scratch, 'pricing.parquet');
    await fetchBackfill(deps.store, backfill, path);
    const found = await readIntervals(path, join(scratch, 'spill'), deps);
    const { firstCaptured } = getBounds(catalog, null);
    return findProblems(backfill, found, firstCaptured).map((message) => problemOf(backfill, message));
  } catch (error) {
    if (isAppError(error, 'store_unavailable')) throw error;
    return [problemOf(backfill, messageFromError(error))];
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

type Intervals = Pick<PricingBackfill, 'intervals' | 'first_day' | 'last_day'>;

async function readIntervals(path: string, tempFolder: string, deps: Pick<VerifyDeps, 'duckdb'>): Promise<Intervals> {
  const database = await Database.open(':memory:', { ...deps.duckdb, tempFolder });
  try {
    const row = await database.row(
      `SELECT count(*)::DOUBLE AS intervals, min(valid_from)::VARCHAR AS first_day, max(valid_to)::VARCHAR AS last_day
       FROM read_parquet($1)`,
      [path],
    );
    const day = (name: string) => (typeof row[name] === 'string' ? row[name] : null);
    return { intervals: Number(row['intervals']), first_day: day('first_day'), last_day: day('last_day') };
  } finally {
    database.close();
  }
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
