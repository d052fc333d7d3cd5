import { expect, test } from 'vitest';
import { modelWords, moveWords, newModelWords, scoreWords, titleList } from './words.ts';

test('a new model is told with what is known of it', () => {
  const known = { name: 'Claude X', organization: 'Anthropic' };
  expect(newModelWords('claude-x', known, ['a', 'b'])).toBe('Claude X (claude-x) by Anthropic, offered by a and b');
  expect(newModelWords('claude-x', { name: 'claude-x', organization: null }, [])).toBe('claude-x');
});

test('a model whose name is not known, or shows nothing, is its id', () => {
  expect(modelWords('x', undefined)).toBe('x');
  expect(modelWords('x', { name: ' \u0000\u200f ', organization: null })).toBe('x');
});

test.each([
  [4, 2, 'gpt-y went from 4 to 2'],
  [null, 3, 'gpt-y came in at 3'],
  [4, null, 'gpt-y is no longer ranked (it was 4)'],
  [null, null, 'gpt-y is no longer ranked'],
])('a rank from %s to %s is a move', (before, after, words) => {
  expect(moveWords('gpt-y', { before, after })).toBe(words);
  const inCoding = moveWords('gpt-y', { before, after }, 'coding');
  expect(inCoding, 'its category is told where nothing else does').toBe(words.replace(/( \(.*)?$/, ' in coding$1'));
});

test.each([
  [null, 71.2, 'x: new score 71.2 in gpqa'],
  [70, 71.25, 'x: score from 70 to 71.25 in gpqa'],
  [-0.5, 1234.5, 'x: score from −0.5 to 1,234.5 in gpqa'],
  [0.12345678, 0.12345679, 'x: score from 0.12345678 to 0.12345679 in gpqa'],
  [70, null, 'x: no score in gpqa any more (it was 70)'],
])('a score from %s to %s is told in the digits that it needs', (before, after, words) => {
  expect(scoreWords('x', 'gpqa', { before, after })).toBe(words);
});

test('a title names three and counts the others', () => {
  expect(titleList(['a'])).toBe('a');
  expect(titleList(['a', 'b', 'c'])).toBe('a, b and c');
  expect(titleList(['a', 'b', 'c', 'd'])).toBe('a, b, c and 1 more');
  expect(titleList(['a', 'b', 'c'], 1234)).toBe('a, b, c and 1,231 more');
});
