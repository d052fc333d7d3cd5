import { expect, test } from 'vitest';
import { methodOfCategory } from './release.ts';

test.each([
  [null, 'general', null],
  ['elo', 'general', 'elo'],
  [{ general: 'elo' }, 'general', 'elo'],
  [{ general: 'elo' }, 'coding', null],
  [{ general: 'elo' }, 'constructor', null],
])('of a source that says %j the ranking of %s is made by %j', (methods, category, method) => {
  expect(methodOfCategory(methods, category)).toBe(method);
});
