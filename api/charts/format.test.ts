import { expect, test } from 'vitest';
import {
  formatCompact,
  formatCount,
  formatDay,
  formatExact,
  formatMoney,
  formatNumber,
  formatPrice,
  formatSpan,
  formatTicks,
} from './format.ts';

test.each([
  [1234, '1,234'],
  [0.61234, '0.61234'],
  [-3.5, '−3.5'],
  [0, '0'],
  [-0, '0'],
  [1402.371, '1,402.37'],
  [7.5e-7, '7.5e-7'],
  [5e-324, '4.94e-324'],
  [1.7e308, '1.7e+308'],
  [Number.NaN, '–'],
  [Number.POSITIVE_INFINITY, '–'],
])('the number %d is written %s', (value, text) => {
  expect(formatNumber(value)).toBe(text);
});

test.each([
  [812, '812'],
  [9999, '9,999'],
  [12_345, '12.3k'],
  [1_200_000, '1.2M'],
  [-45_000, '−45k'],
])('in little room %d is written %s', (value, text) => {
  expect(formatCompact(value)).toBe(text);
});

test.each([
  [2.5, '$2.50'],
  [15, '$15.00'],
  [0.075, '$0.075'],
  [0.3, '$0.30'],
  [1.125, '$1.125'],
  [0.0000025, '$0.0000025'],
  [0, '$0'],
  [-2, '−$2.00'],
  [6_670_000, '$6,670,000.00'],
])('the amount %d is written %s', (value, text) => {
  expect(formatMoney(value)).toBe(text);
});

test.each([
  [0.075, 'USD', '$0.075'],
  [0.075, 'EUR', '0.075 EUR'],
  [3, 'EUR', '3.00 EUR'],
  [0, 'EUR', '0 EUR'],
])('the price %d in %s is written %s', (value, currency, text) => {
  expect(formatPrice(value, currency)).toBe(text);
});

test.each([
  [1200, '1,200'],
  [0.800004, '0.800004'],
  [1_234_567.000001, '1,234,567.000001'],
  [1e-12, '0.000000000001'],
])('with all digits %d is written %s', (value, text) => {
  expect(formatExact(value)).toBe(text);
});

test('days and stretches of days are written in words, the year once where it is the same', () => {
  expect(formatDay('2026-11-03')).toBe('3 Nov 2026');
  expect(formatSpan('2026-08-24', '2026-11-21')).toBe('24 Aug to 21 Nov 2026');
  expect(formatSpan('2025-12-29', '2026-01-03')).toBe('29 Dec 2025 to 3 Jan 2026');
  expect(formatSpan('2026-06-26', '2026-06-28')).toBe('26 to 28 Jun 2026');
  expect(formatSpan('2025-06-26', '2026-06-28')).toBe('26 Jun 2025 to 28 Jun 2026');
  expect(formatSpan('2026-11-03', '2026-11-03')).toBe('3 Nov 2026');
});

test('counts agree with their noun', () => {
  expect([0, 1, 2].map((count) => formatCount(count, 'change'))).toEqual(['no changes', '1 change', '2 changes']);
});

test.each([
  [[0, 0.05, 0.1], 'number', '0 0.05 0.10'],
  [[1250, 1300], 'number', '1,250 1,300'],
  [[0, 2_000_000], 'number', '0 2M'],
  [[1_000_000.1, 1_000_000.2], 'number', '1,000,000.1 1,000,000.2'],
  [[0, 0.5, 1], 'money', '$0 $0.50 $1.00'],
  [[0, 2_000_000], 'money', '$0 $2M'],
  [[0, 0.00005, 0.0001], 'money', '0 5e-5 1e-4'],
] as const)('the ticks %j of kind %s are written %s: alike, short, and told apart', (ticks, kind, labels) => {
  expect(formatTicks(ticks, kind).join(' ')).toBe(labels);
});
