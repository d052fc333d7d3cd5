import { expect, test } from 'vitest';
import { findReason, REASONS } from './resolve-model.ts';

const MODEL = { id: 'gpt-5.4-mini', name: 'GPT-5.4 mini' };

test.each([
  ['gpt-5.4-mini', REASONS[0]],
  ['GPT-5.4-Mini', REASONS[2]],
  ['gpt 5.4 mini', REASONS[2]],
  ['gpt54mini', REASONS[2]],
  ['openai/gpt-5.4-mini', REASONS[3]],
  ['openrouter/openai/GPT 5.4 Mini', REASONS[3]],
  ['mini gpt', REASONS[5]],
  ['gpt-5.4', REASONS[5]],
  ['gpt-5.5', undefined],
  ['claude', undefined],
  ['---', undefined],
])('%s means it because: %s', (written, why) => {
  expect(findReason(written, MODEL)).toBe(why);
});

test('a name is found where the id is another, and a provider in the id is left out', () => {
  expect(findReason('mini model', { id: 'x-1', name: 'Mini Model' })).toBe(REASONS[4]);
  expect(findReason('x-1', { id: 'acme/X-1', name: 'Other' })).toBe(REASONS[3]);
});
