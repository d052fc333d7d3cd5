import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { expectReplay } from '../support/pipeline/consumer.ts';
import { readRecords } from '../support/pipeline/published.ts';
import { openTemporaryStore } from '../support/pipeline/temporary-store.ts';
import { DELETED_UPSTREAM, REAL_DATA } from '../support/real-data.ts';
import { expectSameNight } from './comparison.ts';
import { loadDay } from './load-day.ts';
import { oracleNight } from './night-oracle.ts';
import type { OracleState } from './state.ts';

/** The first days, one whose upstream deleted thousands of scores, bad ids, million-fold prices coming and going, rankings. */
const DAYS = [
  ...['2025-06-04', '2025-06-05', '2025-06-09', '2025-08-25', '2025-11-21', '2025-12-12', '2025-12-13', '2025-12-14'],
  ...['2025-12-22', '2025-12-23', '2026-01-14', '2026-03-07', '2026-03-10', '2026-03-19', '2026-03-20', '2026-04-21'],
  ...['2026-04-22', '2026-06-05', '2026-06-29'],
];
/** Days on which upstream lists prices a million times too high or too low. */
const MILLION_FOLD = ['2025-12-13', '2025-12-14', '2025-12-22', '2026-03-20', '2026-04-21'];

describe.skipIf(REAL_DATA === undefined)('a sample of the real days', () => {
  test('publishes what an independent reading of the specification says, and each snapshot follows from the one before', {
    timeout: 600_000,
  }, async () => {
    const store = await openTemporaryStore();
    let state: OracleState | undefined;
    try {
      for (const day of DAYS) {
        const source = join(REAL_DATA ?? '', day);
        if (day === DELETED_UPSTREAM) {
          const held = await store.night(source, day);
          expect(held.status).toBe('held');
          expect(held.problems).toEqual(['scores would lose 4343 of 9193 records (47.2 %); at most 30 % may be lost']);
        }
        const accept = day === DELETED_UPSTREAM;
        const oracle = oracleNight(state, { ...loadDay(source), accept });
        await expectSameNight(store, await store.night(source, day, { accept }), oracle);
        state = oracle.state;
        if (MILLION_FOLD.includes(day)) await expectPlausiblePrices(store);
      }
      await expectReplay(store);
    } finally {
      await store.dispose();
    }
  });
});

async function expectPlausiblePrices(store: Awaited<ReturnType<typeof openTemporaryStore>>): Promise<void> {
  const records = await readRecords(store, 'pricing');
  const prices = records.flatMap((record) => [record['input_per_million'], record['output_per_million']]).map(Number);
  expect(prices.filter((price) => price !== 0 && (price < 0.0001 || price > 10_000))).toEqual([]);
}
