import { describe, expect, test } from 'vitest';
import { type PricedRecord, rateChanges } from './rate-changes.ts';
import type { Rate } from './rates.ts';

const MILLION = 1_000_000;
const tokens = { unit: 'token', per: MILLION };
const rate = (meter: string, price: number, when?: Rate['when']): Rate =>
  when === undefined ? { meter, ...tokens, price } : { meter, ...tokens, price, when };
const priced = (rates: readonly Rate[] | null, more: Partial<PricedRecord> = {}): PricedRecord => {
  return { input: null, output: null, currency: 'USD', rates, ...more };
};

describe('rates that changed', () => {
  test('are told with their condition, by meter, and the others are not', () => {
    const long = { context_min: 200_000 };
    const before = priced([rate('cache_read', 0.1), rate('input', 1), rate('input', 2, long), rate('output', 5)], {
      input: 1,
      output: 5,
    });
    const after = priced([rate('cache_read', 0.2), rate('input', 1), rate('input', 1.8, long), rate('output', 4.5)], {
      input: 1,
      output: 4.5,
    });
    expect(rateChanges(before, after)).toEqual([
      { meter: 'input', ...tokens, when: long, from: 2, to: 1.8, change_percent: -10 },
      { meter: 'output', ...tokens, from: 5, to: 4.5, change_percent: -10 },
      { meter: 'cache_read', ...tokens, from: 0.1, to: 0.2, change_percent: 100 },
    ]);
  });

  test('have no percentage where one of the prices is unknown, or the old one is 0', () => {
    const before = priced([rate('cache_read', 0), rate('cache_write', 1), rate('reasoning', 2)]);
    const after = priced([rate('cache_read', 0.5), rate('search', 3), rate('reasoning', 0)]);
    expect(
      rateChanges(before, after).map(({ meter, from, to, change_percent }) => [meter, from, to, change_percent]),
    ).toEqual([
      ['cache_read', 0, 0.5, null],
      ['cache_write', 1, null, null],
      ['reasoning', 2, 0, -100],
      ['search', null, 3, null],
    ]);
  });

  test('are all of them, without a percentage, where the currency is another', () => {
    const before = priced([rate('output', 5)], { output: 5 });
    const after = priced([rate('output', 5)], { output: 5, currency: 'EUR' });
    expect(rateChanges(before, after)).toEqual([{ meter: 'output', ...tokens, from: 5, to: 5, change_percent: null }]);
  });

  test('are all of them where the record came or went', () => {
    const record = priced([rate('image_in', 4)], { input: 1 });
    const facts = (changes: ReturnType<typeof rateChanges>) => changes.map(({ meter, from, to }) => [meter, from, to]);
    expect(facts(rateChanges(null, record))).toEqual([
      ['input', null, 1],
      ['image_in', null, 4],
    ]);
    expect(facts(rateChanges(record, null))).toEqual([
      ['input', 1, null],
      ['image_in', 4, null],
    ]);
  });

  test.each([
    ['another number of units', { ...rate('reasoning', 3e-6), per: 1 }],
    ['and of a thousand', { ...rate('reasoning', 0.003), per: 1000 }],
  ])('are none where only the form of a rate differs: %s', (_, other) => {
    expect(rateChanges(priced([rate('reasoning', 3)]), priced([other]))).toEqual([]);
  });

  test('are none where the rates repeat input and output with other last digits', () => {
    const record = (last: number) => priced([rate('input', 0.3 + last)], { input: 0.3 });
    expect(rateChanges(record(0), record(1e-16))).toEqual([]);
  });

  test('of one meter in two units are two', () => {
    const image: Rate = { meter: 'image_in', unit: 'image', per: 10, price: 1 };
    const change = { meter: 'image_in', change_percent: null };
    expect(rateChanges(priced([image]), priced([rate('image_in', 2)]))).toEqual([
      { ...change, unit: 'image', per: 1, from: 0.1, to: null },
      { ...change, ...tokens, from: null, to: 2 },
    ]);
  });
});
