import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { test } from 'vitest';
import { addDays } from '../../schemas/day.ts';
import { openTemporaryStore } from '../support/pipeline/temporary-store.ts';
import { writeDay } from '../support/pipeline/write-day.ts';
import { RANDOM_DAYS } from '../worlds/random-days.ts';
import { expectSameNight } from './comparison.ts';
import { loadDay } from './load-day.ts';
import { oracleNight } from './night-oracle.ts';
import type { OracleState } from './state.ts';

/** Series of days tried; each day is a whole night. */
const SERIES = Number(process.env['RANDOM_SERIES'] ?? 15);
const FIRST_DAY = '2024-02-26'; // a leap day and a month's end are among the days that follow

test('any series of days publishes what an independent reading of the specification says', {
  timeout: 600_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(RANDOM_DAYS, async (days) => {
      const root = await mkdtemp(join(tmpdir(), 'modelstats-random-'));
      const store = await openTemporaryStore();
      try {
        let state: OracleState | undefined;
        let name = FIRST_DAY;
        for (const { rows, gap, accept } of days) {
          name = addDays(name, gap);
          await writeDay(join(root, name), rows);
          const oracle = oracleNight(state, { ...loadDay(join(root, name)), accept });
          await expectSameNight(store, await store.night(root, name, { accept }), oracle);
          state = oracle.verdict === 'published' ? oracle.state : state;
        }
      } finally {
        await store.dispose();
        await rm(root, { recursive: true, force: true });
      }
    }),
    { numRuns: SERIES, endOnFailure: process.env['CI'] === 'true' },
  );
});
