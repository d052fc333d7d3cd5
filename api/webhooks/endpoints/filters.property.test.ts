import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FILTERED_FIELDS, passesNames } from '../../../test/support/webhooks/passes-names.ts';
import { largestChangePercent, type Price } from '../topics/pricing-updated.ts';
import type { Filterable } from '../topics/topic.ts';
import { TOPIC_DEFINITIONS, type Topic } from '../topics/topics.ts';
import { type Filters, matcherFromFilters } from './filters.ts';

const IDS = ['a', 'A', 'b', 'é:1'];
const id = fc.constantFrom(...IDS);
const seq = fc.integer({ min: 1, max: 1_000_000 });
const percent = fc.constantFrom(0, 5, 9.999, 10, 10.001, 50, Number.POSITIVE_INFINITY);

type Facts = Omit<Filterable, 'data'>;

/** What filters concern of an event beside its `data`, in the topics that have such a thing. */
const FACTS: Readonly<Partial<Record<Topic, fc.Arbitrary<Facts>>>> = {
  'pricing.updated': fc.record({ largestChangePercent: percent }),
  'ranking.updated': fc.record({ models: fc.uniqueArray(id), bestRank: fc.integer({ min: 1, max: 5 }) }),
};

/** The fields of a topic's `data` that filters concern. */
function filteredFields({ data }: (typeof TOPIC_DEFINITIONS)[number]): readonly string[] {
  return FILTERED_FIELDS.map(([, field]) => field).filter((field) => field in data.shape);
}

interface Event {
  readonly topic: Topic;
  readonly data: Filterable['data'];
  readonly facts: Facts;
}

const event: fc.Arbitrary<Event> = fc.oneof(
  ...TOPIC_DEFINITIONS.map((topic) =>
    fc.record({
      topic: fc.constant(topic.name),
      data: fc.record({ seq, ...Object.fromEntries(filteredFields(topic).map((field) => [field, id])) }),
      facts: FACTS[topic.name] ?? fc.constant({}),
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
function naive(set: Filters, { data, facts }: Event): boolean {
  const { models, largestChangePercent: percentChanged, bestRank } = facts;
  const rules = [
    passesNames(set, { ...data }),
    models === undefined || set.models === undefined || set.models.some((model) => models.includes(model)),
    percentChanged === undefined || percentChanged >= (set.min_price_change_percent ?? 0),
    bestRank === undefined || bestRank <= (set.max_rank ?? Number.POSITIVE_INFINITY),
  ];
  return rules.every((passes) => passes);
}

test('filters let pass what each of them, read by itself, lets pass', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(filters, event, (set, received) => {
      const { topic, data, facts } = received;
      const expected = naive(set, received);
      seen.add(`${topic} ${expected}`);
      expect(matcherFromFilters(set)({ data, ...facts })).toBe(expected);
    }),
    { numRuns: 5_000 },
  );
  const isConcerned = (topic: (typeof TOPIC_DEFINITIONS)[number]) =>
    topic.name in FACTS || filteredFields(topic).length > 0;
  const outcomes = TOPIC_DEFINITIONS.flatMap((topic) => [
    `${topic.name} true`,
    ...(isConcerned(topic) ? [`${topic.name} false`] : []),
  ]);
  expect(seen).toEqual(new Set(outcomes));
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
