import { expect, test } from 'vitest';
import { cell, table } from './table.ts';

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
