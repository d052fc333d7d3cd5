import { expect, test } from 'vitest';
import { cell, RATE_COLUMNS, runColumns, runsOf, table } from './table.ts';
import { fits, TOKENS_MAX, tokensIn } from './tool-text.ts';

test.each([
  [null, '-'],
  [undefined, '-'],
  [[], '-'],
  [['a', 'b'], 'a, b'],
  [0, '0'],
  [0.12320000000000002, '0.1232'],
  [false, 'false'],
  ['GPT 5 mini', 'GPT 5 mini'],
  ['a  b', 'a b'],
  ['a\n\tb', 'a b'],
  ['a\u00a0b\u2028c\u3000d', 'a b c d'],
  ['a|b', 'a¦b'],
  [{ input: 1, output: null }, 'input 1'],
])('%j is the cell %j', (value, text) => {
  expect(cell(value)).toBe(text);
});

test('a table has a line of names and a line per row', () => {
  const columns = { id: 'id', twice: (row: Readonly<Record<string, unknown>>) => Number(row['n']) * 2 };
  expect(table(columns, [{ id: 'a', n: 1 }])).toBe('id | twice\na | 2');
});

test('rates beside the plain prices of input and output say their meter, condition, price and unit', () => {
  const token = { unit: 'token', per: 1_000_000 };
  const rates = [
    { meter: 'cache_read', ...token, price: 0.1 },
    { meter: 'image_in', unit: 'image', per: 1000, price: 2 },
    { meter: 'input', ...token, price: 1 },
    { meter: 'input', ...token, price: 0.5, when: { tier: 'batch' } },
    { meter: 'output', ...token, price: 9, when: { context_min: 200_000, applies: 'marginal', region: 'eu' } },
  ];
  const [, cells] = table(RATE_COLUMNS, [{ rates }]).split('\n');
  expect(cells).toBe(
    'cache_read 0.1, image_in 0.002 per image, input (tier batch) 0.5, output (above 200000 tokens, marginal, region eu) 9',
  );
  expect(table(RATE_COLUMNS, [{}])).toMatch(/\n-$/);
});

const COLUMNS = { of: 'of', value: 'value' };
const point = (date: string, of: string, value: number | null) => ({ date, of, value });
const runs = (points: readonly ReturnType<typeof point>[]) => runsOf(points, COLUMNS, ({ of }) => String(of));

test('days in a row of one value are one row, of each series by itself', () => {
  const points = [
    point('2026-02-27', 'a', 1),
    point('2026-02-27', 'b', 5),
    point('2026-02-28', 'a', 1),
    point('2026-02-28', 'b', 6),
    point('2026-03-01', 'a', 1),
    point('2026-03-01', 'b', 6),
  ];
  expect(table(runColumns(COLUMNS), runs(points))).toBe(
    'from | to | of | value\n2026-02-27 | 2026-03-01 | a | 1\n2026-02-27 | 2026-02-27 | b | 5\n2026-02-28 | 2026-03-01 | b | 6',
  );
});

test('a day that was not recorded ends a row, so that none holds for a day without a point', () => {
  const found = runs([point('2026-06-01', 'a', null), point('2026-06-02', 'a', null), point('2026-06-04', 'a', null)]);
  expect(found.map(({ from, to }) => [from, to])).toEqual([
    ['2026-06-01', '2026-06-02'],
    ['2026-06-04', '2026-06-04'],
  ]);
});

test.each([
  ['', 0],
  ['claude-opus-4-6', 7],
  ['2026-06-29', 6],
  ['{"value":1.25}', 7],
  ['a1b2c3', 6],
  ['Übersetzung', 2],
  ['模型', 1],
])('%s counts as %i tokens', (text, tokens) => {
  expect(tokensIn(text)).toBe(tokens);
});

test('an answer fits up to the last token, whatever its characters', () => {
  const words = (count: number) => Array.from({ length: count }, () => 'word').join(' ');
  const body = {};
  expect(fits({ text: words(TOKENS_MAX - tokensIn('{}')), body })).toBe(true);
  expect(fits({ text: words(TOKENS_MAX), body })).toBe(false);
});
