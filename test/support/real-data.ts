import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Day } from '../../runtime/day.ts';

/**
 * A year of captured days that is too big for the repository: a folder beside it, or wherever REAL_DATA points.
 * Undefined where it isn't there; a test that needs it says so with `describe.skipIf(REAL_DATA === undefined)`,
 * and the run counts it as skipped.
 */
export const REAL_DATA = findRealData(
  process.env['REAL_DATA'] ?? resolve(import.meta.dirname, '../../../shared/data/real'),
);

/**
 * Recorded files of public upstreams, `<upstream>/<day>/<files>`, or wherever UPSTREAM_DATA points; most may not be passed on. The same
 * holds for tests that need it.
 */
export const UPSTREAM_DATA = findRealData(
  process.env['UPSTREAM_DATA'] ?? resolve(import.meta.dirname, '../../../shared/data/upstream'),
);

/** A real day that the guard holds whatever is usual, and an operator has accepted: upstream did delete thousands of scores. */
export const DELETED_UPSTREAM: Day = '2025-12-13';

/** The real days that an operator has accepted; on the other one a leaderboard was replaced, and 680 of its scores with it. */
export const ACCEPTED_DAYS: readonly Day[] = ['2025-11-18', DELETED_UPSTREAM];

function findRealData(folder: string): string | undefined {
  return existsSync(folder) ? folder : undefined;
}
