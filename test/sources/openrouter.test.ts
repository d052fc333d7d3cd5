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
    pricing: { prompt, completion, request: '0', overrides: [{ min_prompt_tokens: 200_000, prompt: '0.000009' }] },
    ...fields,
  };
}

/** What files of the winter say of what isn't charged for. */
const WINTER = { request: '0', image: '0', web_search: '0', internal_reasoning: '0', input_cache_read: '0' };

/** Models by what they are charged for, with these fillers. */
function rated(fillers: object): readonly object[] {
  const priced = (id: string, pricing: object) =>
    model(id, id, SANE, { pricing: { prompt: '0.000001', completion: '0.000002', ...fillers, ...pricing } });
  return [
    priced('rated/all', {
      request: '0.005',
      image: '0.0013125',
      web_search: '0.01',
      internal_reasoning: '0.000003',
      input_cache_read: '0.0000001',
      input_cache_write: '0.00000008333333333333334',
      input_cache_write_1h: '0.000002',
      image_output: '0.00003',
      audio: '0.000001',
      audio_output: '0.00002',
      input_audio_cache: '0.0000001',
      discount: 0.5,
    }),
    priced('rated/image-tokens', { image: '0.00000100', audio: '-1' }),
    priced('rated/nothing', {}),
    priced('rated/longer', {
      overrides: [
        { min_prompt_tokens: 32_000, prompt: '0.000003', audio: '0.000004', input_audio_cache: '0.000001' },
        { min_prompt_tokens: 256_000, prompt: '0.000005', image: '0.000005' },
        { min_prompt_tokens: 256_000, prompt: '0.000006' },
        { utc_start: '16:30', utc_end: '00:30', prompt: '0.0000005' },
        { min_prompt_tokens: 1_000, utc_start: '16:30', utc_end: '00:30', prompt: '0.0000005' },
      ],
    }),
  ];
}

const FACTS = {
  architecture: { input_modalities: ['text', 'image', 'file', 'audio', 'video'], output_modalities: ['text', 'audio'] },
  supported_parameters: ['tools', 'structured_outputs', 'reasoning', 'web_search_options', 'temperature'],
  top_provider: { context_length: 1, max_completion_tokens: 64_000, is_moderated: true },
  knowledge_cutoff: '2025-08-31',
  expiration_date: '2026-12-31',
  hugging_face_id: 'acme/told',
};

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
    model('told/much', 'Told: Much', SANE, FACTS),
    model('told/little', 'Told: Little', SANE, {
      architecture: { input_modalities: ['text'], output_modalities: ['text'] },
      supported_parameters: [],
      top_provider: { max_completion_tokens: null },
      knowledge_cutoff: null,
    }),
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
    ...rated(dusty === DUST ? WINTER : {}),
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
  const isOf = (id: string) => /half|one|auto|latest/.test(id) && !/^(fork|dusty|page|rated)/.test(id);
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

test('each price is a rate, and a 0 of anything but tokens of text is a filler whose going is no change', async () => {
  const rate = (meter: string, price: number, unit = 'token', when?: object) => ({
    ...{ meter, unit, per: unit === 'token' ? 1_000_000 : 1, price },
    ...(when && { when }),
  });
  const above = (context_min: number) => ({ context_min, applies: 'request' });
  const base = [rate('input', 1), rate('output', 2)];
  expect(await recipe.table('pricing', ['model_id', 'rates'], (id) => id.startsWith('rated'))).toEqual([
    [
      'rated/all',
      [
        rate('audio_in', 1),
        rate('audio_out', 20),
        rate('cache_read', 0.1),
        rate('cache_write', 0.083333),
        rate('cache_write_1h', 2),
        rate('image_in', 0.0013125, 'image'),
        rate('image_out', 30),
        ...base,
        rate('reasoning', 3),
        rate('request', 0.005, 'request'),
        rate('search', 0.01, 'request'),
      ],
    ],
    // The prompt's price: an image counts as its tokens.
    ['rated/image-tokens', [rate('image_in', 1), ...base]],
    [
      'rated/longer',
      [
        rate('audio_in', 4, 'token', above(32_000)),
        rate('image_in', 5, 'token', above(256_000)),
        rate('input', 1),
        rate('input', 3, 'token', above(32_000)),
        rate('input', 6, 'token', above(256_000)),
        rate('output', 2),
      ],
    ],
    ['rated/nothing', base],
  ]);
});

test("what a model takes and can do is told; the day on which OpenRouter's own offer ends is no fact of the model", async () => {
  const fields = [
    'id',
    'max_output_tokens',
    'knowledge_cutoff',
    'open_weights',
    'retires_on',
    'modalities',
    'capabilities',
  ];
  expect(await recipe.table('models', fields, (id) => /^told|acme.one$/.test(id))).toEqual([
    ['acme/one', null, null, null, null, null, null],
    ['told/little', null, null, null, null, { input: ['text'], output: ['text'] }, null],
    [
      ...['told/much', 64_000, '2025-08-31', null, null],
      { input: ['audio', 'image', 'pdf', 'text', 'video'], output: ['audio', 'text'] },
      ['audio_in', 'audio_out', 'pdf', 'reasoning', 'structured_output', 'tools', 'video_in', 'vision', 'web_search'],
    ],
  ]);
});
