import { expect, test } from 'vitest';
import { publishedRecipe } from '../support/sources/use-recipe.ts';

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
      { constraint: { start_date: '2026-07-01' }, prices: usd(1, 5) },
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
  zeta: [model('a', usd(1, 2), { name: 'A of zeta', context_window: 8192 }), model('b', usd(1, 2))],
  acme: [model('a', usd(3, 4), { name: ' A ' })],
});

/** The price with starts, by day. */
const dated: Record<string, unknown> = {};

const recipe = publishedRecipe('genai-prices', async () => {
  for (const day of ['2026-06-30', '2026-07-01', '2026-09-01']) {
    await recipe.publish(day, FILES);
    const fields = ['input_per_million', 'output_per_million', 'effective_from'];
    [dated[day]] = await recipe.table('pricing', fields, (id) => id === 'dated');
  }
});

const pricesOf = async (provider: string) =>
  (await recipe.table('pricing', PRICE))
    .filter(([, lists]) => lists === provider)
    .map(([id, , ...price]) => [id, ...price]);

test('the last price whose start has passed on the day is in force, and a start in the future waits', () => {
  expect(dated).toEqual({
    '2026-06-30': [2, 10, null],
    '2026-07-01': [1, 5, '2026-07-01'],
    '2026-09-01': [3, 15, '2026-09-01'],
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
