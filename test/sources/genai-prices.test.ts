import { expect, test } from 'vitest';
import { publishedRecipe, type Recipe } from '../support/sources/use-recipe.ts';

const PRICE = ['model_id', 'provider', 'input_per_million', 'output_per_million', 'effective_from'];

/** `data.json` with the models of these providers. */
function files(providers: Readonly<Record<string, readonly object[]>>): Record<string, object> {
  const listed = Object.entries(providers).map(([id, models]) => ({ id, name: id, api_pattern: '.*', models }));
  return { 'genai-prices.json': listed };
}

function model(id: string, prices: unknown, fields: object = {}): object {
  return { id, match: { starts_with: id }, prices, ...fields };
}

const usd = (input: unknown, output: unknown) => ({ input_mtok: input, output_mtok: output });

const hours = (start_time: string, end_time: string) => [
  { prices: usd(1, 2) },
  { constraint: { start_time, end_time }, prices: usd(3, 4) },
];
const tiers = (base: number) => ({ base, tiers: [{ start: 200_000, price: 99 }] });

/** Every test's models. */
const FILES = files({
  dated: [
    model('dated', [
      { prices: usd(2, 10) },
      { constraint: { start_date: '2026-07-01' }, prices: { ...usd(1, 5), cache_read_mtok: 0.1 } },
      { constraint: { start_date: '2026-09-01' }, prices: usd(3, 15) },
    ]),
  ],
  hourly: [
    model('around-noon', hours('00:30:00Z', '16:30:00Z')),
    model('from-noon', hours('12:00:00Z', '13:00:00Z')),
    model('until-noon', hours('01:00:00Z', '12:00:00Z')),
    model('over-midnight', hours('16:30:00Z', '00:30:00Z')),
    model('all-but-morning', hours('11:00:00Z', '06:00:00Z')),
  ],
  tiered: [
    model('tiered', usd(tiers(0.2), tiers(0.5))),
    model('free-variant', {}),
    model('embedding', { input_mtok: 0.18000000000000002, requests_kcount: 5 }),
    model('by-request', { requests_kcount: 5 }),
  ],
  rated: [
    model('all', {
      ...usd({ base: 1.25, tiers: [{ start: 200_000, price: 2.5 }] }, 10),
      cache_read_mtok: { base: 0.125, tiers: [{ start: 200_000, price: 0.25 }] },
      cache_write_mtok: 1.5625,
      cache_write_1h_mtok: 2.5,
      output_reasoning_mtok: 12,
      input_image_mtok: 2,
      output_image_mtok: 30,
      input_audio_mtok: 3.2,
      output_audio_mtok: 64,
      output_video_mtok: 17.5,
      requests_kcount: 12,
      web_searches_kcount: 35.1,
      cache_audio_read_mtok: 0.3,
      cache_image_read_mtok: 0.3,
      input_video_mtok: 1.5,
      output_citation_mtok: 2,
    }),
    model('text', { ...usd(1, 2), cache_read_mtok: 'half' }),
  ],
  mistral: [model('old', usd(1, 2), { deprecated: true }), model('new', usd(1, 2), { deprecated: false })],
  google: [model('gemini-old', usd(1, 2), { deprecated: true }), model('claude-old', usd(1, 2), { deprecated: true })],
  zeta: [
    model('c', usd(1, 2), { deprecated: true }),
    model('a', usd(1, 2), { name: 'A of zeta', context_window: 8192 }),
    model('b', usd(1, 2)),
  ],
  acme: [model('a', usd(3, 4), { name: ' A ' })],
});

/** A rate of so many dollars a million tokens, or one of another unit. */
function rate(meter: string, price: number, unit = 'token', when?: object): object {
  return { meter, unit, per: unit === 'token' ? 1_000_000 : 1, price, ...(when && { when }) };
}

let night: Awaited<ReturnType<Recipe['publish']>>;
/** The price with starts, by day. */
const dated: Record<string, unknown> = {};

const recipe = publishedRecipe('genai-prices', async () => {
  for (const day of ['2026-06-30', '2026-07-01', '2026-09-01']) {
    night = await recipe.publish(day, FILES);
    const fields = ['input_per_million', 'output_per_million', 'effective_from', 'rates'];
    [dated[day]] = await recipe.table('pricing', fields, (id) => id === 'dated');
  }
});

const pricesOf = async (provider: string) =>
  (await recipe.table('pricing', PRICE))
    .filter(([, lists]) => lists === provider)
    .map(([id, , ...price]) => [id, ...price]);

test('the last price whose start has passed on the day is in force, and a start in the future waits', () => {
  expect(dated).toEqual({
    '2026-06-30': [2, 10, null, [rate('input', 2), rate('output', 10)]],
    '2026-07-01': [1, 5, '2026-07-01', [rate('cache_read', 0.1), rate('input', 1), rate('output', 5)]],
    '2026-09-01': [3, 15, '2026-09-01', [rate('input', 3), rate('output', 15)]],
  });
});

test('of prices by the hour the one of noon UTC is taken', async () => {
  expect((await pricesOf('hourly')).map(([id, input]) => [id, input])).toEqual([
    ['all-but-morning', 3],
    ['around-noon', 3],
    ['from-noon', 3],
    ['over-midnight', 1],
    ['until-noon', 1],
  ]);
});

test('a price in tiers is its base, and no prices are no row', async () => {
  expect(await pricesOf('tiered')).toEqual([
    ['embedding', 0.18, null, null],
    ['tiered', 0.2, 0.5, null],
  ]);
});

test('each price is a rate, by the thousand as by one, with a tier for the whole request; the rest has no meter', async () => {
  const above = { context_min: 200_000, applies: 'request' };
  expect(await recipe.table('pricing', ['model_id', 'rates'], (id) => id === 'all')).toEqual([
    [
      'all',
      [
        rate('audio_in', 3.2),
        rate('audio_out', 64),
        rate('cache_read', 0.125),
        rate('cache_read', 0.25, 'token', above),
        rate('cache_write', 1.5625),
        rate('cache_write_1h', 2.5),
        rate('image_in', 2),
        rate('image_out', 30),
        rate('input', 1.25),
        rate('input', 2.5, 'token', above),
        rate('output', 10),
        rate('reasoning', 12),
        rate('request', 0.012, 'request'),
        rate('search', 0.0351, 'request'),
        rate('video_out', 17.5),
      ],
    ],
  ]);
});

test('a text that is no number makes a bad row, whatever it is the price of', async () => {
  expect(night.quarantined).toBe(1);
  expect(await recipe.table('pricing', PRICE, (id) => id === 'text')).toEqual([]);
});

test('a model is deprecated where its maker says so', async () => {
  const isOf = (id: string) => /old|new|^c$/.test(id);
  expect(await recipe.table('models', ['id', 'status'], isOf)).toEqual([
    ['c', null],
    ['claude-old', null],
    ['gemini-old', 'deprecated'],
    ['new', null],
    ['old', 'deprecated'],
  ]);
});

test('an id under several providers is one model with what the first of them knows', async () => {
  const isShared = (id: string) => ['a', 'b'].includes(id);
  expect(await recipe.table('models', ['id', 'name', 'context_length', 'inference'], isShared)).toEqual([
    ['a', 'A', 8192, ['acme', 'zeta']],
    ['b', 'b', null, ['zeta']],
  ]);
  expect(await recipe.table('pricing', ['model_id', 'provider', 'input_per_million'], isShared)).toEqual([
    ['a', 'acme', 3],
    ['a', 'zeta', 1],
    ['b', 'zeta', 1],
  ]);
});
