import { expect, test } from 'vitest';
import { type NamedModel, suggestAliases } from './suggest-aliases.ts';

const UPSTREAMS = ['litellm', 'lmarena', 'epoch'];

function model(id: string, organization: string | null = null): NamedModel {
  return { id, name: id.toUpperCase(), organization };
}

/** The suggestions for models, each as a line of the table of aliases with its reason. */
function linesFor(...models: readonly NamedModel[]): readonly string[] {
  return suggestAliases(models, UPSTREAMS).map(
    ({ upstream, id, model_id, why }) => `${upstream},${id},${model_id}: ${why}`,
  );
}

test("names that differ by spelling alone are suggested for the maker's own name", () => {
  expect(
    linesFor(
      model('claude-opus-4-5', 'Anthropic'),
      model('anthropic/claude-opus-4.5', 'Anthropic'),
      model('litellm:bedrock/us.anthropic.claude-opus-4-5-v1:0'),
      model('lmarena:Claude Opus 4.5', 'anthropic'),
    ),
  ).toEqual([
    'lmarena,Claude Opus 4.5,claude-opus-4-5: the same name, the same maker',
    'models-dev,anthropic/claude-opus-4.5,claude-opus-4-5: the same name, the same maker',
    'litellm,bedrock/us.anthropic.claude-opus-4-5-v1:0,claude-opus-4-5: the same name, a maker that is not known',
  ]);
});

test('a name that only a date sets apart is suggested last, and not where a model has it with the date', () => {
  expect(
    linesFor(
      model('o9-2026-01-31', 'OpenAI'),
      model('gpt-9', 'OpenAI'),
      model('epoch:gpt-9-2026-01-31', 'OpenAI'),
      model('epoch:o9-2026-01-31', 'OpenAI'),
      model('lmarena:o9', 'openai'),
    ),
  ).toEqual([
    'epoch,o9-2026-01-31,o9-2026-01-31: the same name, the same maker',
    'epoch,gpt-9-2026-01-31,gpt-9: the same name but for a date, the same maker',
    'lmarena,o9,o9-2026-01-31: the same name but for a date, the same maker',
  ]);
});

test('makers that are known and differ are never suggested, whatever they are called', () => {
  expect(linesFor(model('large', 'Acme'), model('lmarena:large', 'Other Labs'))).toEqual([]);
  const called = [model('gemini-9', 'Google'), model('epoch:gemini-9', 'Google DeepMind,Google')];
  expect(linesFor(...called)).toEqual(['epoch,gemini-9,gemini-9: the same name, the same maker']);
});

test('efforts, budgets and variants are names of their own', () => {
  expect(
    linesFor(
      model('gpt-9', 'OpenAI'),
      model('openai/gpt-9:free', 'OpenAI'),
      model('lmarena:gpt-9-high', 'openai'),
      model('epoch:gpt-9_16K', 'OpenAI'),
    ),
  ).toEqual([]);
});

test('a model without another name, and names of upstreams among themselves, are no suggestion', () => {
  expect(linesFor(model('gpt-9', 'OpenAI'), model('lmarena:x-1'), model('epoch:x-1'))).toEqual([]);
});
