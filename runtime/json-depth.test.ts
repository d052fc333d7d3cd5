import { expect, test } from 'vitest';
import { isNestedDeeper } from './json-depth.ts';

test.each([
  ['a number', 1, 0],
  ['null', null, 0],
  ['an empty list', [], 1],
  ['an object in a list in an object', { a: [{}], b: 1 }, 3],
  ['the deepest of several', [[], { a: { b: [null] } }, 'x'], 4],
])('%s has its levels', (_, value, levels) => {
  expect(isNestedDeeper(value, levels)).toBe(false);
  if (levels > 0) expect(isNestedDeeper(value, levels - 1)).toBe(true);
});

test('a hundred thousand levels are found without a stack of calls', () => {
  const deep: unknown = JSON.parse(`${'[{"a":'.repeat(50_000)}1${'}]'.repeat(50_000)}`);
  expect(isNestedDeeper(deep, 99_999)).toBe(true);
  expect(isNestedDeeper(deep, 100_000)).toBe(false);
});
