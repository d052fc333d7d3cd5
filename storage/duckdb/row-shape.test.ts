import { expect, test } from 'vitest';
import { boolean, list, nullable, number, rowReader, text, word } from './row-shape.ts';

const SHAPE = { id: text, rank: nullable(number), tags: list(text), kind: word(['a', 'b']), done: boolean };

test('a row gets the columns that its shape names', () => {
  const row = { id: 'x', rank: null, tags: ['t'], kind: 'b', done: true, more: 1 };
  expect(rowReader(SHAPE)(row)).toEqual({ id: 'x', rank: null, tags: ['t'], kind: 'b', done: true });
});

test.each([
  ['id', 7, 'the column id should be text, it is 7'],
  ['rank', '7', 'the column rank should be a number, it is "7"'],
  ['tags', 't', 'the column tags should be a list, it is "t"'],
  ['tags', [1], 'the column tags should be text, it is 1'],
  ['kind', 'c', 'the column kind should be one of a, b, it is "c"'],
  ['done', null, 'the column done should be true or false, it is null'],
  ['id', undefined, 'the column id should be text, it is missing'],
])('a %s of %j is refused', (column, value, message) => {
  const row = { id: 'x', rank: 1, tags: [], kind: 'a', done: false, [column]: value };
  expect(() => rowReader(SHAPE)(row)).toThrow(message);
});
