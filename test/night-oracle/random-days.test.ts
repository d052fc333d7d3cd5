import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addDays } from '../../runtime/day.ts';
import { openTemporaryStore } from '../support/pipeline/temporary-store.ts';
import { writeDay } from '../support/pipeline/write-day.ts';
import { newFolder } from '../support/temporary-folder.ts';
import { RANDOM_DAYS, type RandomDay } from '../worlds/random-days.ts';
import { expectSameNight } from './comparison.ts';
import { loadDay } from './load-day.ts';
import { oracleNight } from './night-oracle.ts';
import type { OracleNight, OracleState } from './state.ts';

/** Series of days tried, each day a whole night; the long suite tries more. */
const SERIES = Number(process.env['RANDOM_SERIES'] ?? 6);
const FIRST_DAY = '2024-02-26'; // a leap day and a month's end are among the days that follow

interface WrittenNight {
  readonly root: string;
  readonly name: string;
  readonly accept: boolean;
  readonly oracle: OracleNight;
}

/** Writes a series of days into a folder, each with what the oracle makes of it. */
async function* nightsOf(days: readonly RandomDay[]): AsyncGenerator<WrittenNight> {
  const root = await newFolder();
  let state: OracleState | undefined;
  let name = FIRST_DAY;
  for (const { rows, gap, accept } of days) {
    name = addDays(name, gap);
    await writeDay(join(root, name), rows);
    const oracle = oracleNight(state, { ...loadDay(join(root, name)), accept });
    yield { root, name, accept, oracle };
    if (oracle.verdict === 'published') state = oracle.state;
  }
}

test('any series of days publishes what an independent reading of the specification says', {
  timeout: 600_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(RANDOM_DAYS, async (days) => {
      const store = await openTemporaryStore();
      try {
        for await (const { root, name, accept, oracle } of nightsOf(days)) {
          await expectSameNight(store, await store.night(root, name, { accept }), oracle);
        }
      } finally {
        await store.dispose();
      }
    }),
    { numRuns: SERIES, endOnFailure: process.env['CI'] === 'true' },
  );
});

test('among such days are every verdict and every kind of event', async () => {
  const seen = new Set<string>();
  for (const days of fc.sample(RANDOM_DAYS, 100)) {
    for await (const { oracle } of nightsOf(days)) {
      seen.add(oracle.verdict);
      if (oracle.verdict !== 'published') continue;
      for (const { entity_type, op } of oracle.events) seen.add(`${entity_type} ${op}`);
    }
  }
  const kinds = ['model', 'score', 'ranking', 'pricing'].flatMap((type) => [`${type} upsert`, `${type} delete`]);
  expect([...seen].sort()).toEqual([...kinds, 'held', 'published', 'rejected'].sort());
});
