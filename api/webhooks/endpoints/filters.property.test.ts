import fc from 'fast-check';
import { expect, test } from 'vitest';
import { largestChangePercent, type Price } from '../topics/pricing-updated.ts';
import { snapshotPublished } from '../topics/snapshot-published.ts';
import type { TopicEvent } from '../topics/topics.ts';
import { type Filters, matcherFromFilters } from './filters.ts';

const IDS = ['a', 'A', 'b', 'é:1'];
const id = fc.constantFrom(...IDS);
const seq = fc.integer({ min: 1, max: 1_000_000 });
const percent = fc.constantFrom(0, 5, 9.999, 10, 10.001, 50, Number.POSITIVE_INFINITY);

const event: fc.Arbitrary<TopicEvent> = fc.oneof(
  fc.record({ topic: fc.constant('model.created'), data: fc.record({ model_id: id, seq }) }),
  fc.record({ topic: fc.constant('score.updated'), data: fc.record({ model_id: id, benchmark_id: id, seq }) }),
  fc.record({
    topic: fc.constant('pricing.updated'),
    data: fc.record({
      ...{ model_id: id, provider: id, seq },
      change: fc.constantFrom('price', 'provider_added', 'provider_removed'),
    }),
    largestChangePercent: percent,
  }),
  fc.record({
    topic: fc.constant('ranking.updated'),
    data: fc.record({ category_id: id, changed: fc.integer({ min: 1, max: 9 }), first_seq: seq, seq }),
    models: fc.uniqueArray(id),
    bestRank: fc.integer({ min: 1, max: 5 }),
  }),
  fc.constant(
    snapshotPublished({
      last_seq: 7,
      manifest: {
        ...{ id: '2026-06-01', published_at: '2026-06-02T00:00:00Z', data_as_of: '2026-06-01T23:59:59Z' },
        ...{ schema_version: '1.0', datasets: [], change_cursor: 'Nw', prev_id: null },
      },
    }),
  ),
);

const ids = fc.uniqueArray(id, { minLength: 1 });
const filters: fc.Arbitrary<Filters> = fc.record(
  {
    ...{ models: ids, benchmarks: ids, categories: ids, providers: ids },
    min_price_change_percent: fc.constantFrom(5, 10, 50),
    max_rank: fc.integer({ min: 1, max: 5 }),
  },
  { requiredKeys: [] },
);

/** One rule at a time: which filters let the event pass, where they are set. */
function naive(set: Filters, { topic, data, ...facts }: TopicEvent): boolean {
  const told = { ...data, ...facts } as Readonly<Record<string, unknown>>; // Whatever the topic has.
  const one = (list: readonly string[] | undefined, value: unknown) =>
    list === undefined || list.some((x) => x === value);
  const moved = Array.isArray(told['models']) ? told['models'] : [];
  const rules: Readonly<Record<TopicEvent['topic'], readonly boolean[]>> = {
    'model.created': [one(set.models, told['model_id'])],
    'score.updated': [one(set.models, told['model_id']), one(set.benchmarks, told['benchmark_id'])],
    'pricing.updated': [
      one(set.models, told['model_id']),
      one(set.providers, told['provider']),
      !(Number(told['largestChangePercent']) < (set.min_price_change_percent ?? 0)),
    ],
    'ranking.updated': [
      one(set.categories, told['category_id']),
      set.models === undefined || set.models.some((model) => moved.includes(model)),
      !(Number(told['bestRank']) > (set.max_rank ?? Number.POSITIVE_INFINITY)),
    ],
    'snapshot.published': [],
  };
  return rules[topic].every((passes) => passes);
}

test('filters let pass what each of them, read by itself, lets pass', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(filters, event, (set, told) => {
      const expected = naive(set, told);
      seen.add(`${told.topic} ${expected}`);
      expect(matcherFromFilters(set)(told)).toBe(expected);
    }),
    { numRuns: 5_000 },
  );
  expect(seen.size).toBe(9); // Only the snapshot always passes.
});

const price = (input: number | null, output: number | null, currency = 'USD'): Price => ({ input, output, currency });

test.each([
  ['3 to 3.3 is ten per cent', price(3, 1), price(3.3, 1), 10],
  ['0.1 to 0.11 too', price(0.1, 1), price(0.11, 1), 10],
  ['a fall counts like a rise', price(10, 1), price(5, 1), 50],
  ['the larger of the two prices counts', price(10, 4), price(11, 1), 75],
  ['a price that stays is no change', price(10, null), price(11, null), 10],
  ['a price that came', price(null, 1), price(1, 1), Number.POSITIVE_INFINITY],
  ['a price that went', price(1, 1), price(null, 1), Number.POSITIVE_INFINITY],
  ['a price that was zero', price(0, 1), price(0.001, 1), Number.POSITIVE_INFINITY],
  ['a price that becomes zero is a hundred', price(2, 1), price(0, 1), 100],
  ['another currency', price(2, 1), price(2, 1, 'EUR'), Number.POSITIVE_INFINITY],
])('how far a price moved: %s', (_, before, after, expected) => {
  expect(largestChangePercent(before, after)).toBe(expected);
});
