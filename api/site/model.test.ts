import { describe, expect, test } from 'vitest';
import { cheapest, type Figures, findMetricProblems, type Price, shownMetricOf, sortByRank } from './model.ts';

const BARE: Figures = { rankings: [], scores: [], pricing: [] };
const PRICING = [price('b', 2, 3), price('a', 1, 9)];
const SCORES = [{ benchmark_id: 'rare' }, { benchmark_id: 'usual' }];
const RANKINGS = [
  { category: 'text', rank: 2 },
  { category: 'code', rank: 1 },
];
const FULL: Figures = { rankings: RANKINGS, scores: SCORES, pricing: PRICING };

const BENCHMARKS = ['popular', 'usual', 'rare'].map((id) => ({ id, name: id, model_count: 1 }));

function price(provider: string, input: number | null, output: number | null, currency = 'USD'): Price {
  return { provider, input_per_million: input, output_per_million: output, currency };
}

describe('where no metric is asked for', () => {
  test.each([
    ['the rank where it stands best', FULL, { metric: 'rank', series: 'code' }],
    ['the lowest price', { ...FULL, rankings: [] }, { metric: 'price', series: 'a' }],
    ['the benchmark in which most are', { ...BARE, scores: SCORES }, { metric: 'score', series: 'usual' }],
    ['nothing', BARE, undefined],
  ])('%s is shown', (_, model, shown) => {
    expect(shownMetricOf(model, BENCHMARKS, {})).toEqual(shown);
  });
});

test.each([
  [{ metric: 'score' }, { metric: 'score', series: 'usual' }],
  [
    { metric: 'price', provider: 'b' },
    { metric: 'price', series: 'b' },
  ],
  [{ category: 'vision' }, { metric: 'rank', series: 'vision' }],
  [{ benchmark: 'popular' }, { metric: 'score', series: 'popular' }],
] as const)('%o shows %o', (wanted, shown) => {
  expect(shownMetricOf(FULL, BENCHMARKS, wanted)).toEqual(shown);
  expect(findMetricProblems(wanted)).toEqual([]);
});

test('a metric that a model has not, and that is not named, is not replaced by another', () => {
  expect(shownMetricOf({ ...FULL, pricing: [] }, BENCHMARKS, { metric: 'price' })).toBe(undefined);
});

test('what narrows another metric is named', () => {
  const problemsOf = (wanted: object) => findMetricProblems(wanted).map(({ loc, msg }) => `${loc[1]}: ${msg}`);
  expect(problemsOf({ metric: 'rank', provider: 'x' })).toEqual(['provider: Only with metric=price']);
  expect(problemsOf({ category: 'x', benchmark: 'y' })).toEqual(['benchmark: Only with metric=score']);
});

test('equal ranks stand by category', () => {
  const tied = ['text', 'code', 'art'].map((category) => ({ category, rank: category === 'art' ? 9 : 4 }));
  expect(sortByRank(tied).map(({ category }) => category)).toEqual(['code', 'text', 'art']);
});

describe('the lowest price is that of', () => {
  test.each([
    ['the lowest input', [price('a', 2, 1), price('b', 1, 9)], 'b'],
    ['the lowest output then', [price('a', 1, 9), price('b', 1, 3)], 'b'],
    ['the first provider then', [price('b', 1, 1), price('a', 1, 1)], 'a'],
    ['what is free', [price('a', 1, 1), price('b', 0, 0)], 'b'],
    ['one that is named over one that is not', [price('a', null, 1), price('b', 5, 5)], 'b'],
    ['US dollars over other currencies', [price('a', 1, 1, 'JPY'), price('b', 5, 5)], 'b'],
    ['the first currency, where there are none', [price('a', 1, 1, 'JPY'), price('b', 5, 5, 'EUR')], 'b'],
    ['nobody', [price('a', null, null)], undefined],
  ])('%s', (_, pricing, provider) => {
    expect(cheapest(pricing)?.provider).toBe(provider);
  });
});
