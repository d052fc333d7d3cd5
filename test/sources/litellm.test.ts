import { expect, test } from 'vitest';
import { publishedRecipe, type Recipe } from '../support/sources/use-recipe.ts';

const DAY = '2026-07-05';
const RATES = ['model_id', 'input_per_million', 'output_per_million', 'rates'];
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

  'meters/all': chat('meters', 1.25e-6, 1e-5, {
    cache_read_input_token_cost: 1.25e-7,
    input_cost_per_token_cache_hit: 9e-6,
    cache_creation_input_token_cost: 1.5625e-6,
    cache_creation_input_token_cost_above_1hr: 2.5e-6,
    output_cost_per_reasoning_token: 1.2e-5,
    input_cost_per_image_token: 2e-6,
    output_cost_per_image_token: 3e-5,
    input_cost_per_image: 0.00012,
    output_cost_per_image: 0.039,
    input_cost_per_audio_token: '0.0000032',
    output_cost_per_audio_token: 6.4e-5,
    input_cost_per_audio_per_second: 7.167e-5,
    input_cost_per_request: 0.005,
    search_context_cost_per_query: {
      search_context_size_high: 0.05,
      search_context_size_low: 0.03,
      search_context_size_medium: 0.035,
    },
  }),
  'meters/hit': chat('meters', 5.5e-7, 2.19e-6, { input_cost_per_token_cache_hit: 1.4e-7 }),
  'meters/none': chat('meters', 1e-6, 2e-6, {
    input_cost_per_character: 2.5e-7,
    input_cost_per_pixel: 1e-8,
    input_cost_per_second: 0.01,
    output_cost_per_second: 0.01,
    input_cost_per_video_per_second: 0.002,
    input_cost_per_video_per_second_above_15s_interval: 0.003,
    output_cost_per_image_premium_image: 0.08,
    cache_read_input_audio_token_cost: 1e-7,
    input_dbu_cost_per_token: 1.4e-5,
    input_cost_per_token_ultrafast: 9e-6,
    input_cost_per_token_batches: null,
    regional_processing_uplift_multiplier_eu: 1.1,
    provider_specific_entry: { us: 1.1 },
  }),
  'meters/text': chat('meters', 1e-6, 2e-6, { cache_read_input_token_cost: 'see the docs' }),

  'tiers/all': chat('tiers', 2.5e-6, 1.5e-5, {
    input_cost_per_token_batches: 1.25e-6,
    input_cost_per_token_batch_requests: 1.25e-6,
    output_cost_per_token_flex: 7.5e-6,
    input_cost_per_token_priority: 5e-6,
    input_cost_per_token_above_272k_tokens: 5e-6,
    input_cost_per_token_above_272k_tokens_priority: 1e-5,
    cache_creation_input_token_cost_above_1hr: 4e-6,
    cache_creation_input_token_cost_above_1hr_above_200k_tokens: 8e-6,
    cache_creation_input_token_cost_above_200k_tokens: 5e-6,
  }),
  'tiers/ranges': {
    ...chat('tiers', undefined, undefined),
    tiered_pricing: [
      { range: [0, 256_000.0], input_cost_per_token: 5e-8, output_cost_per_token: 4e-7 },
      { range: [256_000.0, 1e6], input_cost_per_token: 2.5e-7, output_cost_per_token: 2e-6, colour: 'red' },
      { max_results_range: [0, 25], input_cost_per_token: 5e-3 },
    ],
  },
  'tiers/alone': {
    ...chat('tiers', undefined, undefined),
    input_cost_per_token_above_200k_tokens: 1e-6,
    input_cost_per_token_batches: 1e-6,
  },

  'claude-2-9': chat('anthropic', 1e-6, 2e-6, { deprecation_date: '2026-02-19', max_output_tokens: 64_000.0 }),
  'azure/claude-2-9': chat('azure', 1e-6, 2e-6, { deprecation_date: '2026-02-19', max_output_tokens: '8192' }),
  'claude-2-8': chat('anthropic', 1e-6, 2e-6, { deprecation_date: 'soon', max_output_tokens: 10_000_000 }),
  'facts/said': chat('facts', 1e-6, 2e-6, {
    max_output_tokens: 0,
    supports_vision: true,
    supports_native_structured_output: true,
    supports_response_schema: false,
    supports_pdf_input: false,
    supports_tool_choice: true,
    supported_modalities: ['text', 'image'],
    supported_output_modalities: ['text', 'code'],
  }),
  'facts/denied': chat('facts', 1e-6, 2e-6, { supports_vision: false, supported_modalities: ['text'] }),
  'facts/unsaid': chat('facts', 1e-6, 2e-6, { supports_system_messages: true, max_output_tokens: 'max output tokens' }),

  ...SANE,
  'wandb/small': chat('wandb', 0.005, 0.005),
  'wandb/large': chat('wandb', 0.135, 0.54),
};

let night: Awaited<ReturnType<Recipe['publish']>>;
const recipe = publishedRecipe('litellm', async () => {
  night = await recipe.publish(DAY, { 'litellm.json': MODELS });
});

/** A rate of so many dollars a million tokens, or one of another unit. */
function rate(meter: string, price: number, unit = 'token', when?: object): object {
  return { meter, unit, per: unit === 'token' ? 1_000_000 : 1, price, ...(when && { when }) };
}

test('keys that are no models, and models that are not charged by the token, are left out', async () => {
  const others = /^(bedrock|azure|wandb|meters|tiers|claude|facts|s\d|[ab]$)/;
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
  expect(await recipe.table('models', fields, (id) => /^(azure\/large|bedrock)/i.test(id))).toEqual([
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

test('each cost that a meter expresses is a rate: of a million tokens, of one image, second, request or search of medium size', async () => {
  expect(await recipe.table('pricing', RATES, (id) => /^meters.(all|hit)/.test(id))).toEqual([
    [
      'meters/all',
      1.25,
      10,
      [
        rate('audio_in', 7.167e-5, 'second'),
        rate('audio_in', 3.2),
        rate('audio_out', 64),
        rate('cache_read', 0.125),
        rate('cache_write', 1.5625),
        rate('cache_write_1h', 2.5),
        rate('image_in', 0.00012, 'image'),
        rate('image_in', 2),
        rate('image_out', 0.039, 'image'),
        rate('image_out', 30),
        rate('input', 1.25),
        rate('output', 10),
        rate('reasoning', 12),
        rate('request', 0.005, 'request'),
        rate('search', 0.035, 'request'),
      ],
    ],
    ['meters/hit', 0.55, 2.19, [rate('cache_read', 0.14), rate('input', 0.55), rate('output', 2.19)]],
  ]);
});

test('what no meter expresses is left out: characters, pixels, video, commitments by the second, multipliers, unknown suffixes', async () => {
  expect(await recipe.table('pricing', RATES, (id) => id === 'meters/none')).toEqual([
    ['meters/none', 1, 2, [rate('input', 1), rate('output', 2)]],
  ]);
});

test('a text that is no number makes a bad row, whatever it is the price of', async () => {
  expect(night.quarantined).toBe(1);
  expect(await recipe.table('pricing', PRICE, (id) => id === 'meters/text')).toEqual([]);
});

test('a suffix is a tier of service or the input from which the whole request costs more, and an hour the life of a cache', async () => {
  const above = (context_min: number) => ({ context_min, applies: 'request' });
  expect(await recipe.table('pricing', RATES, (id) => id.startsWith('tiers'))).toEqual([
    [
      'tiers/all',
      2.5,
      15,
      [
        rate('cache_write', 5, 'token', above(200_000)),
        rate('cache_write_1h', 4),
        rate('cache_write_1h', 8, 'token', above(200_000)),
        rate('input', 2.5),
        rate('input', 5, 'token', above(272_000)),
        rate('input', 1.25, 'token', { tier: 'batch' }),
        rate('input', 5, 'token', { tier: 'priority' }),
        rate('input', 10, 'token', { tier: 'priority', ...above(272_000) }),
        rate('output', 15),
        rate('output', 7.5, 'token', { tier: 'flex' }),
      ],
    ],
    [
      'tiers/ranges',
      0.05,
      0.4,
      [
        rate('input', 0.05),
        rate('input', 0.25, 'token', above(256_000)),
        rate('output', 0.4),
        rate('output', 2, 'token', above(256_000)),
      ],
    ],
  ]);
});

test('a shutdown is of the maker whose offer it is, and the outputs that are no limit are left out', async () => {
  const fields = ['id', 'retires_on', 'max_output_tokens'];
  expect(await recipe.table('models', fields, (id) => id.includes('claude'))).toEqual([
    ['azure/claude-2-9', null, 8192],
    ['claude-2-8', null, null],
    ['claude-2-9', '2026-02-19', 64_000],
  ]);
});

test('an ability is one that is said to be there; nothing said is null, and so is half of what it takes and gives', async () => {
  const fields = ['id', 'capabilities', 'modalities', 'max_output_tokens'];
  expect(await recipe.table('models', fields, (id) => id.startsWith('facts'))).toEqual([
    ['facts/denied', [], null, null],
    ['facts/said', ['structured_output', 'vision'], { input: ['image', 'text'], output: ['code', 'text'] }, null],
    ['facts/unsaid', null, null, null],
  ]);
});

test('a price a hundred thousand times too high never gets in, even where 10,000 is plausible elsewhere', async () => {
  expect((await recipe.suspects()).map(({ model_id }) => model_id)).toEqual(['wandb/large', 'wandb/small']);
  const priced = await recipe.records('pricing', ['model_id'], (id) => /^(s\d|wandb)/.test(id));
  expect(priced.map(({ model_id }) => model_id)).toEqual(Object.keys(SANE).sort());
});
