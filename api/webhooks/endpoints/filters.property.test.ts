import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FILTERED_FIELDS, passesNames } from '../../../test/support/webhooks/passes-names.ts';
import { largestChangePercent, type Price } from '../topics/pricing-updated.ts';
import type { Filterable, RankMoves, RateMove } from '../topics/topic.ts';
import { TOPIC_DEFINITIONS, type Topic } from '../topics/topics.ts';
import { type Filters, FiltersSchema, matcherFromFilters } from './filters.ts';

const IDS = ['a', 'A', 'b', 'é:1'];
const id = fc.constantFrom(...IDS);
const seq = fc.integer({ min: 1, max: 1_000_000 });
const percent = fc.constantFrom(0, 5, 9.999, 10, 10.001, 50, Number.POSITIVE_INFINITY);

const rate: fc.Arbitrary<RateMove> = fc.record({
  meter: fc.constantFrom('input', 'output', 'search'),
  direction: fc.constantFrom('up', 'down', null),
  percent,
});
const rank = fc.integer({ min: 1, max: 5 });
/** Of the models that moved in a direction: those that a filter names, with their best rank, are among all. */
const moved = fc
  .record({
    others: fc.array(rank, { maxLength: 2 }),
    watched: fc.uniqueArray(fc.record({ id, best_rank: rank }), { selector: (model) => model.id, maxLength: 2 }),
  })
  .map(({ others, watched }) => {
    const ranks = [...others, ...watched.map(({ best_rank }) => best_rank)];
    return { best_rank: ranks.length === 0 ? null : Math.min(...ranks), watched };
  });

type Facts = Omit<Filterable, 'data'>;

/** What filters concern of an event beside its `data`, in the topics that have such a thing. */
const FACTS: Readonly<Partial<Record<Topic, fc.Arbitrary<Facts>>>> = {
  'pricing.updated': fc.record({ largestChangePercent: percent, rates: fc.array(rate, { maxLength: 3 }) }),
  'ranking.updated': fc.record({
    models: fc.uniqueArray(id),
    bestRank: rank,
    ranks: fc.record({ up: moved, down: moved }),
  }),
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
    meters: fc.uniqueArray(fc.constantFrom('input', 'output'), { minLength: 1 }),
    direction: fc.constantFrom('up', 'down'),
    min_change_percent: fc.constantFrom(5, 10, 50),
    max_rank: rank,
  },
  { requiredKeys: [] },
);

/** One rule at a time: which filters let the event pass, where they are set. */
function naive(set: Filters, { data, facts }: Event): boolean {
  const { models, largestChangePercent: percentChanged, rates, bestRank, ranks } = facts;
  const rules = [
    passesNames(set, { ...data }),
    models === undefined || set.models === undefined || set.models.some((model) => models.includes(model)),
    percentChanged === undefined || percentChanged >= (set.min_price_change_percent ?? 0),
    bestRank === undefined || bestRank <= (set.max_rank ?? Number.POSITIVE_INFINITY),
    rates === undefined || !hasRateFilter(set) || rates.some((changed) => isRateWanted(set, changed)),
    ranks === undefined || set.direction === undefined || isRankWanted(set, ranks[set.direction]),
  ];
  return rules.every((passes) => passes);
}

function hasRateFilter({ meters, direction, min_change_percent: minPercent }: Filters): boolean {
  return [meters, direction, minPercent].some((filter) => filter !== undefined);
}

function isRateWanted(set: Filters, { meter, direction, percent: changed }: RateMove): boolean {
  const meters: readonly string[] = set.meters ?? [meter];
  return (
    meters.includes(meter) &&
    direction === (set.direction ?? direction) &&
    (set.min_change_percent === undefined || (direction !== null && changed >= set.min_change_percent))
  );
}

function isRankWanted({ models, max_rank: maxRank = 5 }: Filters, { best_rank, watched }: RankMoves['up']): boolean {
  const ranks =
    models === undefined
      ? [best_rank ?? 6]
      : watched.filter((model) => models.includes(model.id)).map((model) => model.best_rank);
  return ranks.some((best) => best <= maxRank);
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

const move = (meter: string, direction: RateMove['direction'], by: number): RateMove => ({
  meter,
  direction,
  percent: by,
});
const CUT: Filters = { meters: ['output'], direction: 'down', min_change_percent: 5 };

test.each([
  ['a cut as large as that', [move('output', 'down', 5)], true],
  ['a cut that is too small', [move('output', 'down', 4.999)], false],
  ['a rise', [move('output', 'up', 50)], false],
  ['a cut of another meter', [move('input', 'down', 50)], false],
  ['no rate that has all of it', [move('output', 'down', 1), move('output', 'up', 9), move('input', 'down', 9)], false],
  ['a price that came or went', [move('output', null, Number.POSITIVE_INFINITY)], false],
])('one rate passes meters, direction and percentage together: %s', (_, rates, expected) => {
  expect(matcherFromFilters(CUT)({ data: { seq: 1, provider: 'p' }, rates })).toBe(expected);
});

test.each([
  ['a rise', [move('output', 'up', 5)], true],
  ['a cut', [move('search', 'down', 100)], true],
  ['a rate that was free', [move('output', 'up', Number.POSITIVE_INFINITY)], true],
  ['a rate that appeared, disappeared or changed its currency', [move('input', null, Number.POSITIVE_INFINITY)], false],
  ['a provider without rates', [], false],
])('a percentage alone passes what rose or fell as much: %s', (_, rates, expected) => {
  expect(matcherFromFilters({ min_change_percent: 5 })({ data: { seq: 1, provider: 'p' }, rates })).toBe(expected);
});

test.each([
  ['meters', { meters: ['input', 'tokens'] }, /must be one of input, output, cache_read/],
  ['meters', { meters: [] }, /must name 1 to 13 meters/],
  ['direction', { direction: 'both' }, /must be one of up, down/],
  ['min_change_percent', { min_change_percent: 0 }, /must be above 0 and at most 1000/],
  ['min_change_percent', { min_change_percent: 1000.5 }, /must be above 0 and at most 1000/],
  ['min_change_percent', { min_change_percent: Number.NaN }, /expected number/],
])('a wrong %s is refused: %j', (name, wrong, message) => {
  const { error } = FiltersSchema.safeParse(wrong);
  expect(error?.issues).toMatchObject([{ message: expect.stringMatching(message) }]);
  expect(error?.issues[0]?.path[0]).toBe(name);
});
