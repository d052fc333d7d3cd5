import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addDays } from '../../runtime/day.ts';
import { DATASETS } from '../../schemas/datasets.ts';
import { openTemporaryStore } from '../support/pipeline/temporary-store.ts';
import { type DayRows, writeDay } from '../support/pipeline/write-day.ts';
import { newFolder } from '../support/temporary-folder.ts';
import { expectSameNight } from './comparison.ts';
import { loadDay } from './load-day.ts';
import { oracleNight } from './night-oracle.ts';
import type { OracleNight, OracleState } from './state.ts';

/** Series of days tried, each day a whole night; the long suite tries more. */
const SERIES = Number(process.env['RANDOM_SERIES'] ?? 4);
const FIRST_DAY = '2024-02-26'; // a leap day and a month's end are among the days that follow

/** Days at random: few ids, so that records meet again, and values at the edge of what may be published and beyond it. */
interface RandomDay {
  readonly rows: DayRows;
  /** Days since the one before. */
  readonly gap: number;
  /** Whether an operator lets a held night pass. */
  readonly accept: boolean;
}

/** A value that may be published most of the time, so that records which refer to others find them, and an odd one now and then. */
function mostly(good: readonly unknown[], odd: readonly unknown[]): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 29, arbitrary: fc.constantFrom(...good) },
    { weight: 1, arbitrary: fc.constantFrom(...odd) },
  );
}

const id = mostly(['a', 'A', 'a:t'], ['b:c', 'b%3Ac', 'é/ü', '@x', ' a', 'b:c ', '']);
/** With the ids above it makes keys of one joined text: `a` and `t:3`, `a:t` and `3`. */
const other = mostly(['one', 't:3', '3'], ['Two', 'one ']);
const price = mostly([0, 0.5, 600, 9_999], [0.0005, 20_000, 0.00001, null, -1, '2.5']);
const number = mostly([-3.25, 0, 7e-7, 100, 1e21], ['12', 'x', null, {}]);
const day = mostly(['2024-01-31', null], ['2024-02-29', '2024-02-30', 'soon']);
const updated = fc.constantFrom('2024-02-20T10:00:00Z', '2024-02-28T10:00:00.250Z', '2030-01-01T00:00:00+02:00', null);

const model = fc.record({
  id,
  name: mostly(['Name', 'Other name'], ['Tab\t', null]),
  organization: fc.constantFrom('org', null),
  release_date: day,
  context_length: mostly([1000, '2000', null], [1.5, -1]),
  inference: fc.constantFrom('p,q', 'q, p', null, 'p'),
  updated_at: updated,
});
const benchmark = fc.record({
  id: other,
  name: fc.constant('Bench'),
  category: fc.constant(null),
  model_count: fc.constantFrom(3, null),
  updated_at: updated,
});
const score = fc.record({
  model_id: id,
  benchmark_id: other,
  value: number,
  source: fc.constantFrom('official', null),
  measured_at: day,
  updated_at: updated,
  n: fc.constantFrom(5, null),
});
const ranking = fc.record({
  model_id: id,
  category: other,
  rank: mostly([1, 2], [0]),
  trueskill_mu: number,
  trueskill_sigma: fc.constantFrom(1.5, null),
  updated_at: updated,
});
const pricing = fc.record({
  model_id: id,
  provider: other,
  input_per_million: price,
  output_per_million: price,
  currency: fc.constantFrom('USD', null),
  effective_from: fc.constant(null),
  updated_at: updated,
});

/**
 * A missing file now and then, and few enough rows that the bad ones stay within the limits. Most files have each key once: rows of one key
 * contradict each other, so none of them is published.
 */
function file(row: fc.Arbitrary<object>, key: readonly string[], [minLength, maxLength]: readonly [number, number]) {
  const selector = (fields: object) => JSON.stringify(fields, [...key]);
  const rows = fc.oneof(
    { weight: 5, arbitrary: fc.uniqueArray(row, { selector, minLength, maxLength }) },
    { weight: 1, arbitrary: fc.array(row, { maxLength }) },
  );
  return fc.option(rows, { freq: 6, nil: undefined });
}

/** A folder without any file is rejected before anything is read, which is tested elsewhere. */
const dayRows: fc.Arbitrary<DayRows> = fc
  .record({
    models: file(model, DATASETS.models.key, [2, 8]),
    benchmarks: file(benchmark, DATASETS.benchmarks.key, [2, 4]),
    scores: file(score, DATASETS.scores.key, [0, 8]),
    rankings: file(ranking, DATASETS.rankings.key, [0, 6]),
    pricing: file(pricing, DATASETS.pricing.key, [0, 8]),
  })
  .filter((files) => Object.values(files).some((rows) => rows !== undefined));

/** Two to five days in a row. */
const RANDOM_DAYS: fc.Arbitrary<readonly RandomDay[]> = fc.array(
  fc.record({ rows: dayRows, gap: fc.integer({ min: 1, max: 3 }), accept: fc.boolean() }),
  { minLength: 2, maxLength: 5 },
);

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
