import { describe, expect, test } from 'vitest';
import { priceMessage, rankMessage, scoreMessage } from './model-badge.ts';

describe('a rank', () => {
  const categories = [
    { id: 'code', model_count: 1234 },
    { id: 'text', model_count: 20 },
  ];
  const ranks = [
    { category: 'text', rank: 2 },
    { category: 'vision', rank: 2 },
    { category: 'code', rank: 31 },
  ];

  test.each([
    ['code', '#31 of 1,234 in code'],
    ['text', '#2 of 20 in text'],
    // Between two releases' answers a category may be gone.
    ['vision', '#2 in vision'],
    [undefined, '#2 of 20 in text'],
  ])('in %s reads %s', (asked, message) => {
    expect(rankMessage(ranks, categories, asked)).toEqual({ message, isFigure: true });
  });

  test('that there is not is said so, and where', () => {
    expect(rankMessage([], categories, undefined)).toEqual({ message: 'not ranked', isFigure: false });
    expect(rankMessage(ranks, categories, 'agent')).toEqual({ message: 'not ranked in agent', isFigure: false });
  });

  test('in a category of another script is set apart from the words around it', () => {
    expect(rankMessage([{ category: 'عربي', rank: 1 }], [], undefined).message).toBe('#1 in \u2068عربي\u2069');
  });
});

describe('a score', () => {
  const benchmarks = [
    { id: 'gpqa', name: 'GPQA', model_count: 90 },
    { id: 'mmlu', name: 'MMLU', model_count: 90 },
    { id: 'few', name: 'Few', model_count: 2 },
  ];
  const scores = [
    { benchmark_id: 'few', value: 99 },
    { benchmark_id: 'mmlu', value: 0.87312 },
    { benchmark_id: 'gpqa', value: -1284.5 },
  ];

  test.each([
    ['few', '99 on Few'],
    ['mmlu', '0.87312 on MMLU'],
    [undefined, '−1,284.5 on GPQA'],
  ])('on %s reads %s', (asked, message) => {
    expect(scoreMessage(scores, benchmarks, asked)).toEqual({ message, isFigure: true });
  });

  test('that there is not is said so, with the name of the benchmark where it has one', () => {
    expect(scoreMessage([], benchmarks, undefined)).toEqual({ message: 'no score', isFigure: false });
    expect(scoreMessage([], benchmarks, 'mmlu')).toEqual({ message: 'no score on MMLU', isFigure: false });
    expect(scoreMessage(scores, benchmarks, 'x')).toEqual({ message: 'no score on x', isFigure: false });
  });
});

describe('a price', () => {
  const price = (provider: string, input: number | null, output: number | null, currency = 'USD') => {
    return { provider, input_per_million: input, output_per_million: output, currency };
  };

  test.each([
    [[price('a', 3, 15)], undefined, '$3 / $15 per 1M'],
    [[price('a', 3, 15)], 'a', '$3 / $15 per 1M at a'],
    [[price('a', 0.075, 2.5)], undefined, '$0.075 / $2.50 per 1M'],
    [[price('a', 0, 0)], undefined, '$0 / $0 per 1M'],
    [[price('a', 3, null)], undefined, '$3 input per 1M'],
    [[price('a', null, 15)], undefined, '$15 output per 1M'],
    [[price('a', 90, 1270.5, 'JPY')], undefined, '90 / 1,270.50 JPY per 1M'],
    [[price('a', 90, null, 'JPY')], undefined, '90 JPY input per 1M'],
    [[price('b', 3, 15), price('a', 4, 10)], undefined, '$3 / $15 per 1M at b'],
    // Which is the lowest: model.test.ts.
  ])('of %j at %s reads %s', (prices, asked, message) => {
    expect(priceMessage(prices, asked)).toEqual({ message, isFigure: true });
  });

  test('that there is not is said so, and where', () => {
    expect(priceMessage([], undefined)).toEqual({ message: 'no price', isFigure: false });
    expect(priceMessage([price('a', null, null)], undefined)).toEqual({ message: 'no price', isFigure: false });
    expect(priceMessage([price('a', 1, 1)], 'b')).toEqual({ message: 'no price at b', isFigure: false });
  });
});
