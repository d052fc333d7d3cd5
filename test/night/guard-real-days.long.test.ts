/** What the guard would say of each of the real days, from how many rows their files have (specification "Guard"). */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { findUnusual } from '../../pipeline/night/check/losses.ts';
import { SourceSettingsSchema } from '../../pipeline/source/source-settings.ts';
import { isDay } from '../../runtime/day.ts';
import { DATASET_NAMES, type DatasetName } from '../../schemas/datasets.ts';
import { ACCEPTED_DAYS, REAL_DATA } from '../support/real-data.ts';

const DEFAULTS = SourceSettingsSchema.parse({});

/** The days that captured a dataset, with the number of its rows. */
function countRows(root: string, dataset: DatasetName): readonly { readonly day: string; readonly rows: number }[] {
  const days = readdirSync(root).filter(isDay).sort();
  return days.flatMap((day) => {
    const file = join(root, day, `${dataset}.jsonl.gz`);
    if (!existsSync(file)) return [];
    const lines = gunzipSync(readFileSync(file));
    let rows = 0;
    for (let at = lines.indexOf('\n'); at >= 0; at = lines.indexOf('\n', at + 1)) rows += 1;
    return [{ day, rows }];
  });
}

describe.skipIf(REAL_DATA === undefined)('of 335 real days', () => {
  test('two are held for what is usual, and only one that is not held anyway', { timeout: 120_000 }, () => {
    const root = REAL_DATA ?? '';
    const held = DATASET_NAMES.flatMap((dataset) => {
      const counted = countRows(root, dataset);
      return counted.flatMap(({ day, rows }, index) => {
        const past = counted.slice(Math.max(0, index - DEFAULTS.usual_nights - 1), index).map((night) => night.rows);
        const exceeded = findUnusual({ before: past.at(-1) ?? 0, after: rows }, past, DEFAULTS);
        return exceeded === undefined ? [] : [{ day, dataset, lost: (past.at(-1) ?? 0) - rows, of: past.at(-1) }];
      });
    });
    expect(held).toEqual([
      { day: '2025-11-18', dataset: 'models', lost: 116, of: 1432 },
      { day: '2025-12-13', dataset: 'models', lost: 275, of: 1613 },
      { day: '2025-11-18', dataset: 'scores', lost: 508, of: 9545 },
      { day: '2025-12-13', dataset: 'scores', lost: 4343, of: 9193 },
    ]);
    expect(new Set(held.map(({ day }) => day))).toEqual(new Set(ACCEPTED_DAYS));
  });
});
