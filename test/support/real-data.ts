import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

/**
 * A year of captured days that is too big for the repository: a folder beside it, or wherever REAL_DATA points.
 * Undefined where it isn't there; a test that needs it says so with `describe.skipIf(REAL_DATA === undefined)`,
 * and the run counts it as skipped.
 */
export const REAL_DATA = findRealData(
  process.env['REAL_DATA'] ?? resolve(import.meta.dirname, '../../shared/data/real'),
);

function findRealData(folder: string): string | undefined {
  return existsSync(folder) ? folder : undefined;
}
