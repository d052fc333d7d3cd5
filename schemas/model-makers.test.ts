import { expect, test } from 'vitest';
import { agreesWith } from './model-makers.ts';

const LLAMA = { id: 'llama-3.1-8b-instruct', organization: null, inference: ['groq-cloud'] };

test.each([
  ['meta-llama', LLAMA, true],
  ['us-gov-west-1', LLAMA, true],
  ['azure_ai', LLAMA, true],
  ['litellm:azure_ai', LLAMA, true],
  ['Groq Cloud', LLAMA, true],
  ['deepseek', LLAMA, false],
  ['moonshotai', { id: 'k2', organization: 'Kimi', inference: null }, true],
  ['zai-org', { id: 'x', organization: 'openai', inference: null }, false],
])('%s before the name of %o agrees with it: %s', (seller, model, agrees) => {
  expect(agreesWith(seller, model)).toBe(agrees);
});
