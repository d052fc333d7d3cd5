import { expect, test } from 'vitest';
import { publishedRecipe, type Recipe } from '../support/sources/use-recipe.ts';

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

const SANE = ['0.000001', '0.000002'] as const;
const [DUST, CLEAN] = [
  ['0.0000001', '0.000000600000000000001'] as const,
  ['0.000000100000000000001', '0.0000006'] as const,
];
const [ONE, TWO] = [model('page/one', 'One', SANE), model('page/two', 'Two', SANE)];

/** Every test's models, with `dusty` at this price; on the second day a page comes twice, and one model has changed meanwhile. */
function files(dusty: readonly [string, string], pages: readonly object[]): Record<string, object> {
  const data = [
    model('openrouter/auto', 'Auto Router', ['-1', '-1'], { context_length: 2_000_000 }),
    model('acme/half', 'Acme: Half', ['0.000001', '-1']),
    model('acme/other-half', 'Acme: Other half', ['-1', '0.000001']),
    model('acme/one', 'Acme: One ', SANE),
    model('acme/one:free', 'Acme: One (free)', ['0', '0']),
    model('~acme/latest', 'Acme Latest', SANE, { alias_target: 'acme/one' }),
    model('acme/two', 'Two', SANE, { context_length: 0 }),
    model('fork/one', 'Fork A: One', SANE),
    model('fork/two', 'Fork B: Two', SANE, { context_length: 99_999_999 }),
    model('fork/three', 'Three', SANE),
    model('dusty/one', 'Dusty', dusty),
    ...pages,
  ];
  return { 'openrouter.json': { data, total_count: data.length, links: { next: null } } };
}

let nights: readonly Awaited<ReturnType<Recipe['publish']>>[];
const recipe = publishedRecipe('openrouter', async () => {
  const dearer = model('page/two', 'Two', ['0.000009', '0.000009']);
  nights = [
    await recipe.publish('2026-07-31', files(DUST, [ONE, TWO])),
    await recipe.publish('2026-08-01', files(CLEAN, [ONE, TWO, ONE, dearer])),
  ];
});

test('a price below zero is no price, and an id that begins with ~ no model', async () => {
  expect(nights[0]?.quarantined).toBe(0);
  const isOf = (id: string) => /half|one|auto|latest/.test(id) && !/^(fork|dusty|page)/.test(id);
  const ids = (await recipe.records('models', ['id'], isOf)).map(({ id }) => id);
  expect(ids).toEqual(['acme/half', 'acme/one', 'acme/one:free', 'acme/other-half', 'openrouter/auto']);
  expect(await recipe.table('pricing', PRICE, isOf)).toEqual([
    ['acme/one', 'openrouter', 1, 2],
    ['acme/one:free', 'openrouter', 0, 0],
  ]);
});

test('the maker stands before the colon, or in other names with the same prefix', async () => {
  const isOf = (id: string) => /^(acme|fork)\/(one|two|three)$/.test(id);
  const fields = ['id', 'name', 'organization', 'context_length', 'release_date', 'inference', 'source'];
  const others = [null, ['openrouter'], 'openrouter'];
  expect(await recipe.table('models', fields, isOf)).toEqual([
    ['acme/one', 'One', 'Acme', 131_072, ...others],
    ['acme/two', 'Two', 'Acme', null, ...others],
    ['fork/one', 'One', 'Fork A', 131_072, ...others],
    ['fork/three', 'Three', null, 131_072, ...others],
    ['fork/two', 'Two', 'Fork B', null, ...others],
  ]);
});

test('dust in the text of a price makes no change when it comes or goes', async () => {
  expect(nights[1]?.events).toEqual({ upsert: 0, delete: 0 });
  const isDusty = (id: string) => id === 'dusty/one';
  expect(await recipe.table('pricing', PRICE, isDusty)).toEqual([['dusty/one', 'openrouter', 0.1, 0.6]]);
});

test('the same model on two pages counts once, and its two faces are set aside', () => {
  expect(nights[1]).toMatchObject({ quarantined: 2, events: { upsert: 0, delete: 0 } });
});
