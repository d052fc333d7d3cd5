import { expect, test } from 'vitest';
import { useRecipe } from '../support/sources/use-recipe.ts';

const DAY = '2026-08-01';
const PRICE = ['model_id', 'provider', 'input_per_million', 'output_per_million'];

/** A model as OpenRouter lists one, with dollars a token as text. */
function model(id: string, name: string, [prompt, completion]: readonly [string, string], fields: object = {}): object {
  return {
    id,
    canonical_slug: 'the/same',
    name,
    created: 1_785_000_000,
    context_length: 131_072,
    pricing: { prompt, completion, request: '0', overrides: [{ min_prompt_tokens: 200_000, prompt: '9' }] },
    ...fields,
  };
}

test('a price below zero is no price, and an id that begins with ~ no model', async () => {
  const recipe = await useRecipe('openrouter');
  const data = [
    model('openrouter/auto', 'Auto Router', ['-1', '-1'], { context_length: 2_000_000 }),
    model('acme/half', 'Acme: Half', ['0.000001', '-1']),
    model('acme/other-half', 'Acme: Other half', ['-1', '0.000001']),
    model('acme/one', 'Acme: One', ['0.000001', '0.000002']),
    model('acme/one:free', 'Acme: One (free)', ['0', '0']),
    model('~acme/latest', 'Acme Latest', ['0.000001', '0.000002'], { alias_target: 'acme/one' }),
  ];
  const night = await recipe.publish(DAY, { 'openrouter.json': { data, total_count: 6, links: { next: null } } });
  expect(night.quarantined).toBe(0);
  const ids = (await recipe.records('models', ['id'])).map(({ id }) => id);
  expect(ids).toEqual(['acme/half', 'acme/one', 'acme/one:free', 'acme/other-half', 'openrouter/auto']);
  expect(await recipe.table('pricing', PRICE)).toEqual([
    ['acme/one', 'openrouter', 1, 2],
    ['acme/one:free', 'openrouter', 0, 0],
  ]);
});

test('the maker stands before the colon, or in other names with the same prefix', async () => {
  const recipe = await useRecipe('openrouter');
  const prices = ['0.000001', '0.000002'] as const;
  const data = [
    model('acme/one', 'Acme: One ', prices),
    model('acme/two', 'Two', prices, { context_length: 0 }),
    model('fork/one', 'Fork A: One', prices),
    model('fork/two', 'Fork B: Two', prices, { context_length: 99_999_999 }),
    model('fork/three', 'Three', prices),
  ];
  await recipe.publish(DAY, { 'openrouter.json': { data } });
  expect(await recipe.records('models')).toEqual(
    [
      { id: 'acme/one', name: 'One', organization: 'Acme', context_length: 131_072 },
      { id: 'acme/two', name: 'Two', organization: 'Acme', context_length: null },
      { id: 'fork/one', name: 'One', organization: 'Fork A', context_length: 131_072 },
      { id: 'fork/three', name: 'Three', organization: null, context_length: 131_072 },
      { id: 'fork/two', name: 'Two', organization: 'Fork B', context_length: null },
    ].map((expected) => ({
      ...expected,
      release_date: null,
      inference: ['openrouter'],
      source: 'openrouter',
    })),
  );
});

test('dust in the text of a price makes no change when it comes or goes', async () => {
  const recipe = await useRecipe('openrouter');
  const listed = (prompt: string, completion: string) => ({
    'openrouter.json': { data: [model('acme/one', 'Acme: One', [prompt, completion])] },
  });
  await recipe.publish('2026-07-31', listed('0.0000001', '0.000000600000000000001'));
  const again = await recipe.publish('2026-08-01', listed('0.000000100000000000001', '0.0000006'));
  expect(again).toMatchObject({ events: { upsert: 0, delete: 0 } });
  expect(await recipe.table('pricing', PRICE)).toEqual([['acme/one', 'openrouter', 0.1, 0.6]]);
});

test('the same model on two pages counts once, and its two faces are set aside', async () => {
  const recipe = await useRecipe('openrouter');
  const one = model('acme/one', 'Acme: One', ['0.000001', '0.000002']);
  const two = model('acme/two', 'Acme: Two', ['0.000001', '0.000002']);
  await recipe.publish('2026-07-31', { 'openrouter.json': { data: [one, two] } });
  const dearer = model('acme/two', 'Acme: Two', ['0.000009', '0.000009']);
  const again = await recipe.publish('2026-08-01', { 'openrouter.json': { data: [one, two, one, dearer] } });
  expect(again).toMatchObject({ quarantined: 2, events: { upsert: 0, delete: 0 } });
});
