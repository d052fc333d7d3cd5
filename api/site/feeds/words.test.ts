import { expect, test } from 'vitest';
import { listOf, nameInText } from './words.ts';

test('what reads from right to left is kept to itself', () => {
  expect(nameInText('نموذج')).toBe('\u2068نموذج\u2069');
  expect(nameInText('דגם 3')).toBe('\u2068דגם 3\u2069');
});

test('a long name is cut between characters', () => {
  const cut = nameInText('🦙'.repeat(300));
  expect([...cut]).toHaveLength(200);
  expect(cut.endsWith('🦙…')).toBe(true);
});

test('lists name what fits and count the rest', () => {
  expect(listOf([], { max: 3 })).toBe('');
  expect(listOf(['a', 'b'], { max: 3 })).toBe('a and b');
  expect(listOf(['a', 'b'], { max: 1 })).toBe('a and 1 more');
  expect(listOf(['a', 'b'], { max: 3, count: 9 })).toBe('a, b and 7 more');
});
