import { expect, test } from 'vitest';
import { fits, TOKENS_MAX, tokensIn } from './told.ts';

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
