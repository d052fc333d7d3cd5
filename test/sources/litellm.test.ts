import { expect, test } from 'vitest';
import { publishedRecipe } from '../support/sources/use-recipe.ts';

const DAY = '2026-07-05';
const PRICE = ['model_id', 'provider', 'input_per_million', 'output_per_million'];

/** An entry that is charged by the token, in dollars a token. */
function chat(provider: string, input: unknown, output: unknown, fields: object = {}): object {
  const prices = { input_cost_per_token: input, output_cost_per_token: output };
  return { litellm_provider: provider, mode: 'chat', max_input_tokens: 128_000, ...prices, ...fields };
}

const SANE = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`s${index}`, chat('sane', 1e-6, 6e-4)]));

/** Every test's keys. */
const MODELS = {
  sample_spec: chat('one of https://docs.litellm.ai/docs/providers', 0, 0, { max_input_tokens: 'max input tokens' }),
  fallback_generalizations: { rules: [{ name: 'a', pattern: 'b' }] },
  note: 'a text that a copy had added',
  'fireworks-ai-default': { litellm_provider: 'fireworks_ai', input_cost_per_token: 0, output_cost_per_token: 0 },
  '1024-x-1024/50-steps/stability.sd-9': { litellm_provider: 'bedrock', mode: 'image_generation' },
  'openrouter/openrouter/auto': chat('openrouter', 0, 0),
  'acme/free-song': chat('acme', 0, 0, { output_cost_per_image: 0.04 }),
  'acme/by-the-second': { litellm_provider: 'acme', mode: 'chat', input_cost_per_second: 0.1 },
  'acme/local': chat('acme', 0, 0),
  'acme/embed': { litellm_provider: 'acme', mode: 'embedding', input_cost_per_token: 1e-7 },

  'bedrock/us-gov-west-1/acme.large-v1:0': chat('bedrock', 1e-6, 2e-6, { max_input_tokens: '2000000.0' }),
  'azure/Large': chat('azure_text', 1e-6, 2e-6, { max_input_tokens: 2_000_000.0 }),
  'azure/large': chat('azure', 1e-6, 2e-6, { max_input_tokens: 0 }),

  a: chat('dust', 1.5e-7, 0.0000006),
  b: chat('dust', '0.00000015000000000000002', 2.5e-6),

  ...SANE,
  'wandb/small': chat('wandb', 0.005, 0.005),
  'wandb/large': chat('wandb', 0.135, 0.54),
};

const recipe = publishedRecipe('litellm', async () => {
  await recipe.publish(DAY, { 'litellm.json': MODELS });
});

test('keys that are no models, and models that are not charged by the token, are left out', async () => {
  const others = /^(bedrock|azure|wandb|s\d|[ab]$)/;
  const isOf = (id: string) => !others.test(id);
  const ids = (await recipe.records('models', ['id'], isOf)).map(({ id }) => id);
  expect(ids).toEqual(['acme/by-the-second', 'acme/embed', 'acme/free-song', 'acme/local']);
  expect(await recipe.table('pricing', PRICE, isOf)).toEqual([
    ['acme/embed', 'acme', 0.1, null],
    ['acme/local', 'acme', 0, 0],
  ]);
});

test('a key is an id as it stands, with its last part for a name, and keys may differ by case alone', async () => {
  const fields = ['id', 'name', 'organization', 'context_length', 'inference'];
  expect(await recipe.table('models', fields, (id) => /^(azure|bedrock)/.test(id))).toEqual([
    ['azure/Large', 'Large', null, 2_000_000, ['azure_text']],
    ['azure/large', 'large', null, null, ['azure']],
    ['bedrock/us-gov-west-1/acme.large-v1:0', 'acme.large-v1:0', null, 2_000_000, ['bedrock']],
  ]);
});

test("dollars a token become dollars a million without the binary's dust", async () => {
  expect(await recipe.table('pricing', PRICE, (id) => /^[ab]$/.test(id))).toEqual([
    ['a', 'dust', 0.15, 0.6],
    ['b', 'dust', 0.15, 2.5],
  ]);
});

test('a price a hundred thousand times too high never gets in, even where 10,000 is plausible elsewhere', async () => {
  expect((await recipe.suspects()).map(({ model_id }) => model_id)).toEqual(['wandb/large', 'wandb/small']);
  const priced = await recipe.records('pricing', ['model_id'], (id) => /^(s\d|wandb)/.test(id));
  expect(priced.map(({ model_id }) => model_id)).toEqual(Object.keys(SANE).sort());
});
