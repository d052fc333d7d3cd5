import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openDatabase } from '../../api/database/open-database.ts';
import { TOPICS } from '../../api/webhooks/topics/topics.ts';
import { addDays } from '../../runtime/day.ts';
import type { Meter, Rate } from '../../schemas/rates.ts';
import { openTemporaryStore } from '../support/pipeline/temporary-store.ts';
import type { DayRows } from '../support/pipeline/write-day.ts';
import { newFolder } from '../support/temporary-folder.ts';
import { openPublisher } from '../support/webhooks/publisher.ts';
import { CUTOVER } from '../worlds/rated-days.ts';
import { addListeners, expectTold, type Listener } from './oracle.ts';

const MODELS = ['a', 'A', 'a:t', 'b/c', 'é "x"'];
const OTHERS = ['one', 'Two', 't:3'];

const model = fc.constantFrom(...MODELS);
const other = fc.constantFrom(...OTHERS);
const price = fc.constantFrom(null, 0, 0.5, 0.55, 3, 3.3, 1e-7);
const updated_at = fc.constant('2026-01-01T00:00:00Z');

/** What the life of a model has, and a field that no topic is about. */
const life = {
  status: fc.constantFrom(null, 'active', 'deprecated'),
  deprecated_on: fc.constantFrom(null, '2027-01-01', '2027-06-01'),
  retires_on: fc.constantFrom(null, '2028-01-01'),
  replaced_by: fc.constantFrom(null, 'a'),
  max_output_tokens: fc.constantFrom(null, 1000, 2000),
};
const when = fc.constantFrom(undefined, { tier: 'batch' }, { context_min: 1000 }, { region: 'eu' });
const rate = fc.oneof(
  fc.record({
    meter: fc.constantFrom('cache_read', 'output'),
    unit: fc.constant('token'),
    per: fc.constantFrom(1000, 1_000_000),
    price: fc.constantFrom(0, 0.5, 0.55, 3),
    when,
  }),
  fc.record({
    meter: fc.constantFrom('image_in', 'search'),
    unit: fc.constantFrom('image', 'request'),
    per: fc.constantFrom(1, 10),
    price: fc.constantFrom(0, 2, 20),
  }),
);
const rates = fc.option(
  fc.uniqueArray(rate, {
    maxLength: 6,
    selector: (one) => JSON.stringify([one.meter, one.unit, 'when' in one && one.when]),
  }),
  { nil: null },
);

type RatedRow = Readonly<Record<string, unknown>>;

/** With rates that repeat the prices of input and output, as a source must have them; those without condition come from there alone. */
function withPlainRates(list: readonly RatedRow[] | undefined): readonly RatedRow[] | undefined {
  return list?.map((row) => {
    if (row['rates'] === null) return row;
    const others = (row['rates'] as Partial<Rate>[]).filter((one) => one.meter !== 'output' || one.when !== undefined);
    const plain = ['input', 'output'].flatMap((meter) => {
      const value = row[`${meter}_per_million`];
      return value === null ? [] : [{ meter, unit: 'token', per: 1_000_000, price: value }];
    });
    return { ...row, rates: [...plain, ...others] };
  });
}

const rows: fc.Arbitrary<DayRows> = fc.record({
  models: fc.uniqueArray(fc.record({ id: model, name: fc.constantFrom('N', 'M'), ...life, updated_at }), {
    selector: ({ id }) => id,
    minLength: 2,
  }),
  benchmarks: fc.tuple(
    ...OTHERS.map((id) => fc.record({ id: fc.constant(id), name: fc.constantFrom('N', 'M'), updated_at })),
  ),
  scores: listOf('benchmark_id', { value: fc.constantFrom(0, 1.5), n: fc.constantFrom(1, 2) }),
  rankings: listOf('category', { rank: fc.integer({ min: 1, max: 4 }), trueskill_mu: fc.constantFrom(1, 2) }),
  pricing: listOf('provider', {
    input_per_million: price,
    output_per_million: price,
    currency: fc.constantFrom('USD', 'EUR'),
    effective_from: fc.constantFrom('2025-01-01', null),
    rates,
  }).map(withPlainRates),
});

/** A file of rows with their keys at random, each once; now and then there is none. */
function listOf(part: string, columns: Readonly<Record<string, fc.Arbitrary<unknown>>>) {
  const row = fc.record({ model_id: model, [part]: other, updated_at, ...columns });
  const keyOf = (value: Readonly<Record<string, unknown>>) => JSON.stringify([value['model_id'], value[part]]);
  return fc.option(fc.uniqueArray(row, { selector: keyOf, maxLength: 10 }), { freq: 8, nil: undefined });
}

/** A record of each kind. */
const LITTLE: DayRows = {
  models: [{ id: 'a', name: 'N' }],
  benchmarks: [{ id: 'one', name: 'N' }],
  scores: [{ model_id: 'a', benchmark_id: 'one', value: 1 }],
  rankings: [{ model_id: 'a', category: 'one', rank: 1, trueskill_mu: 1 }],
  pricing: [{ model_id: 'a', provider: 'one', input_per_million: 1, output_per_million: 1 }],
};
/** The same, changed, and two more of each kind. */
const MORE: DayRows = {
  models: ['a', 'A', 'b/c'].map((id) => ({ id, name: 'M' })),
  benchmarks: OTHERS.map((id) => ({ id, name: 'M' })),
  scores: OTHERS.map((benchmark_id) => ({ model_id: 'a', benchmark_id, value: 2 })),
  rankings: OTHERS.map((category) => ({ model_id: 'a', category, rank: 2, trueskill_mu: 2 })),
  pricing: OTHERS.map((provider) => ({ model_id: 'a', provider, input_per_million: 2, output_per_million: 2 })),
};
/** Nights in which records of every kind are added, change and are removed, so that every topic has an event. */
const EVERYTHING = [LITTLE, MORE, LITTLE];

const some = <T extends string>(ids: readonly T[]) =>
  fc.uniqueArray(fc.constantFrom(...ids), { minLength: 1, maxLength: 2 });
const filters = fc.record(
  {
    models: some(MODELS),
    benchmarks: some(OTHERS),
    categories: some(OTHERS),
    providers: some(OTHERS),
    min_price_change_percent: fc.constantFrom(1, 10, 100),
    meters: some<Meter>(['output', 'cache_read', 'image_in']),
    direction: fc.constantFrom('up', 'down'),
    min_change_percent: fc.constantFrom(1, 10, 100, 1000),
    max_rank: fc.integer({ min: 1, max: 3 }),
  },
  { requiredKeys: [] },
);
const listeners: fc.Arbitrary<readonly Listener[]> = fc
  .array(fc.record({ filters, mode: fc.constantFrom('each', 'digest') }), { minLength: 6, maxLength: 12 })
  .map((list) => [{ filters: {}, mode: 'each' as const }, ...list].map((one, index) => ({ ...one, id: `e${index}` })));

/** Two: one from the first day with rates on, whose nights are looked at in the end; one before, with a look at each night. */
const SERIES = Number(process.env['RANDOM_SERIES'] ?? 2);

test('any series of nights tells each endpoint what an independent reading of the published files says', {
  timeout: 300_000,
}, async () => {
  const folder = await newFolder();
  const told = new Map<string, number>(TOPICS.map((topic) => [topic, 0]));
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(rows, { minLength: 2, maxLength: SERIES > 2 ? 5 : 2 }),
      listeners,
      async (nights, listening) => {
        const store = await openTemporaryStore();
        runs += 1;
        const control = await openDatabase(`sqlite:${join(folder, `${runs}.db`)}`);
        try {
          await addListeners(control, listening);
          // Before rates and the life of models, and from the first day that has them.
          const first = runs % 3 === 2 ? '2026-06-01' : CUTOVER;
          const clock = () => new Date(`${addDays(first, 10)}T12:00:00Z`);
          const { publisher } = openPublisher(store, control, { clock });
          for (const [index, night] of [...nights, ...EVERYTHING].entries()) {
            await store.publish(addDays(first, index), night, { settings: { max_bad_fraction: 1 } });
            // Looks at each night, or only at the end.
            if (runs % 2 === 0) await publisher.poll();
          }
          if (runs % 2 === 1) await publisher.poll();
          const counts = await expectTold(store, control, listening);
          for (const [topic, count] of Object.entries(counts)) told.set(topic, (told.get(topic) ?? 0) + count);
        } finally {
          await control.close();
          await store.dispose();
        }
      },
    ),
    { numRuns: SERIES },
  );
  expect([...told.values()].reduce((sum, count) => sum + count, 0)).toBeGreaterThan(50);
  expect([...told].filter(([, count]) => count === 0)).toEqual([]);
});
