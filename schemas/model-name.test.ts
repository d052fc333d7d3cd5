import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formsOf, mayBeOneDate, NAME_STEPS, spellingOf } from './model-name.ts';

/** What each step leaves, without steps that change nothing. */
const stepsOf = (name: string) => formsOf(name).map(({ step, form }) => `${step} ${form}`);

test.each([
  ['GPT-4o', ['spelling gpt-4-o']],
  ['openai/gpt-4o', ['spelling openai/gpt-4-o', 'path gpt-4-o']],
  ['azure/eu/gpt-4o', ['spelling azure/eu/gpt-4-o', 'path eu/gpt-4-o', 'path gpt-4-o']],
  ['Anthropic: Claude Sonnet 4.5', ['spelling anthropic-claude-sonnet-4-5', 'prefix claude-sonnet-4-5']],
  ['us.anthropic.claude-3-haiku', ['spelling us-anthropic-claude-3-haiku', 'prefix claude-3-haiku']],
  ['anthropic--claude-4-sonnet', ['spelling anthropic-claude-4-sonnet', 'prefix claude-4-sonnet']],
  ['qwen3-coder:free', ['spelling qwen-3-coder-free', 'suffix qwen-3-coder']],
  ['Quill Q7 (free)', ['spelling quill-q-7-free', 'suffix quill-q-7']],
  ['gpt-4o-2024-08-06', ['spelling gpt-4-o-2024-08-06', 'date gpt-4-o']],
  ['claude-sonnet-4-5@20250929', ['spelling claude-sonnet-4-5-20250929', 'date claude-sonnet-4-5']],
  ['GPT-4o (Nov 2024)', ['spelling gpt-4-o-nov-2024', 'date gpt-4-o']],
  ['kimi-k2-0905', ['spelling kimi-k-2-0905', 'date kimi-k-2']],
  ['gemini-2.5-flash-05-20', ['spelling gemini-2-5-flash-05-20', 'date gemini-2-5-flash']],
  ['chatgpt-4o-latest', ['spelling chatgpt-4-o-latest', 'date chatgpt-4-o']],
  ['Claude Sonnet 4.5 (latest)', ['spelling claude-sonnet-4-5-latest', 'date claude-sonnet-4-5']],
])('%s is, step by step, %j', (name, steps) => {
  expect(stepsOf(name)).toEqual(steps);
});

test.each([
  ['bedrock/us.anthropic.claude-3-5-sonnet-20241022-v2:0', 'claude-3-5-sonnet-20241022'],
  ['amazon.nova-2-lite-v1:0', 'nova-2-lite'],
  ['meta.llama3-1-8b-instruct-v1:0', 'llama-3.1-8b-instruct'],
  ['accounts/fireworks/models/llama-v3p1-405b-instruct', 'llama-3.1-405b-instruct'],
  ['fireworks_ai/accounts/fireworks/models/deepseek-v3p2', 'deepseek-v3.2'],
  ['@cf/meta/llama-3.1-8b-instruct', 'Llama 3.1 8B Instruct'],
  ['models/gemini-2.5-pro', 'Gemini 2.5 Pro'],
  ['anthropic/claude-sonnet-4.5:beta', 'claude-sonnet-4-5'],
  ['vertex_ai/google/gemma-4-26b-a4b-it-maas', 'gemma-4-26b-a4b-it'],
  ['ﬁne-Ⅳ', 'fine-IV'],
])('%s may be %s', (name, other) => {
  expect(formsOf(name).map(({ form }) => form)).toContain(spellingOf(other));
});

test.each([
  ['qwen2-57b', 'qwen2.5-7b'],
  ['command-r+', 'command-r'],
  ['jina-reranker-v2', 'jina-reranker-v3'],
  ['amazon.titan-embed-text-v2:0', 'amazon.titan-embed-text-v1'],
  ['anthropic.claude-v2:1', 'anthropic.claude-v1'],
  ['gpt-5-mini', 'gpt-5'],
  ['gpt-5 (high)', 'gpt-5'],
  ['claude-sonnet-4-thinking:1024', 'claude-sonnet-4-thinking:8192'],
  ['claude-sonnet-4.6:thinking', 'claude-sonnet-4.6'],
  ['llama-3.1-8b-instruct-fp8', 'llama-3.1-8b-instruct'],
])('%s is never %s', (name, other) => {
  const forms = formsOf(other).map(({ form }) => form);
  expect(formsOf(name).filter(({ form }) => forms.includes(form))).toEqual([]);
});

test.each([
  ['20240806', '20240806', true],
  ['20240806', '0806', true],
  ['20250725', '2507', true],
  ['202411', '20241120', true],
  ['', '20240806', true],
  ['20240806', '20240513', false],
  ['0806', '0513', false],
])('the dates %j and %j may be one: %s', (left, right, may) => {
  expect([mayBeOneDate(left, right), mayBeOneDate(right, left)]).toEqual([may, may]);
});

const NAMES = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.string({
    unit: fc.constantFrom(...'aA1./:-@+()| p v', 'ß', 'İ', 'ﬁ', '\u0301', '\ud800', '\u0000', '模', '\u{1F600}'),
    maxLength: 200,
  }),
);

test('any text has forms: few, each once, by distance, and the same again', () => {
  fc.assert(
    fc.property(NAMES, (name) => {
      const forms = formsOf(name);
      expect(forms).toEqual(formsOf(name));
      expect(forms.length).toBeLessThanOrEqual(12);
      expect(new Set(forms.map(({ form }) => form)).size).toBe(forms.length);
      const distances = forms.map(({ distance }) => distance);
      expect(distances).toEqual(distances.toSorted((a, b) => a - b));
      for (const { step, form } of forms) {
        expect(NAME_STEPS).toContain(step);
        expect(form).toMatch(/^[\p{L}\p{M}\p{N}/-]+$/u);
      }
    }),
    { numRuns: 1000 },
  );
});
