import { expect, test } from 'vitest';
import { plainNumber, plainNumbers } from './plain-number.ts';

test.each([
  [0.12320000000000002, 0.1232],
  [0.8999999999999999, 0.9],
  [2.5, 2.5],
  [1e-7, 1e-7],
  [-0.30000000000000004, -0.3],
  [1_000_000_000_001_234, 1_000_000_000_001_234],
  [0, 0],
])('%d is shown as %d', (value, shown) => {
  expect(plainNumber(value)).toBe(shown);
});

test('two values that differ only in their last digits are shown in all of them', () => {
  expect(plainNumbers(0.12320000000000002, 0.13)).toEqual([0.1232, 0.13]);
  expect(plainNumbers(0.12320000000000002, 0.1232)).toEqual([0.12320000000000002, 0.1232]);
});
