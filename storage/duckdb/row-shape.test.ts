import { expect, test } from 'vitest';
import { boolean, list, nullable, number, oneOf, rowReader, text } from './row-shape.ts';

const SHAPE = { id: text, rank: nullable(number), tags: list(text), kind: oneOf(['a', 'b']), done: boolean };

test('a row gets the columns that its shape names', () => {
  const row = { id: 'x', rank: null, tags: ['t'], kind: 'b', done: true, more: 1 };
  expect(rowReader(SHAPE)(row)).toEqual({ id: 'x', rank: null, tags: ['t'], kind: 'b', done: true });
});

test.each([
  ['id', 7, 'the column id must be text, but is 7'],
  ['rank', '7', 'the column rank must be a number, but is "7"'],
  ['tags', 't', 'the column tags must be a list, but is "t"'],
  ['tags', [1], 'the column tags must be text, but is 1'],
  ['kind', 'c', 'the column kind must be one of a, b, but is "c"'],
  ['done', null, 'the column done must be true or false, but is null'],
  ['id', undefined, 'the column id must be text, but is missing'],
])('a %s of %j is refused', (column, value, message) => {
  const row = { id: 'x', rank: 1, tags: [], kind: 'a', done: false, [column]: value };
  expect(() => rowReader(SHAPE)(row)).toThrow(message);
});
