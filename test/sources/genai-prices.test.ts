import { expect, test } from 'vitest';
import { type Recipe, useRecipe } from '../support/sources/use-recipe.ts';

const PRICE = ['model_id', 'provider', 'input_per_million', 'output_per_million', 'effective_from'];

/** `data.json` with the models of these providers. */
function files(providers: Readonly<Record<string, readonly object[]>>): Record<string, object> {
  const listed = Object.entries(providers).map(([id, models]) => ({ id, name: id, api_pattern: '.*', models }));
  return { 'genai-prices.json': listed };
}

/** A model as upstream lists one. */
function model(id: string, prices: unknown, fields: object = {}): object {
  return { id, match: { starts_with: id }, prices, ...fields };
}

const usd = (input: unknown, output: unknown) => ({ input_mtok: input, output_mtok: output });

async function pricesOf(recipe: Recipe): Promise<readonly object[]> {
  return recipe.records('pricing', ['input_per_million', 'output_per_million', 'effective_from']);
}

test('the last price whose start has passed on the day is in force, and a start in the future waits', async () => {
  const recipe = await useRecipe('genai-prices');
  const listed = files({
    acme: [
      model('a', [
        { prices: usd(2, 10) },
        { constraint: { start_date: '2026-07-01' }, prices: usd(1, 5) },
        { constraint: { start_date: '2026-09-01' }, prices: usd(3, 15) },
      ]),
    ],
  });
  await recipe.publish('2026-06-30', listed);
  expect(await pricesOf(recipe)).toEqual([{ input_per_million: 2, output_per_million: 10, effective_from: null }]);
  await recipe.publish('2026-07-01', listed);
  const since = { input_per_million: 1, output_per_million: 5, effective_from: '2026-07-01' };
  expect(await pricesOf(recipe)).toEqual([since]);
  await recipe.publish('2026-08-31', listed);
  expect(await pricesOf(recipe)).toEqual([since]);
  await recipe.publish('2026-09-01', listed);
  expect(await pricesOf(recipe)).toEqual([
    { input_per_million: 3, output_per_million: 15, effective_from: '2026-09-01' },
  ]);
});

test('of prices by the hour the one of noon UTC is taken', async () => {
  const recipe = await useRecipe('genai-prices');
  const hours = (start_time: string, end_time: string) => [
    { prices: usd(1, 2) },
    { constraint: { start_time, end_time }, prices: usd(3, 4) },
  ];
  const models = [
    model('around-noon', hours('00:30:00Z', '16:30:00Z')),
    model('from-noon', hours('12:00:00Z', '13:00:00Z')),
    model('until-noon', hours('01:00:00Z', '12:00:00Z')),
    model('over-midnight', hours('16:30:00Z', '00:30:00Z')),
    model('all-but-morning', hours('11:00:00Z', '06:00:00Z')),
  ];
  await recipe.publish('2026-07-30', files({ acme: models }));
  expect(await recipe.table('pricing', ['model_id', 'input_per_million'])).toEqual([
    ['all-but-morning', 3],
    ['around-noon', 3],
    ['from-noon', 3],
    ['over-midnight', 1],
    ['until-noon', 1],
  ]);
});

test('a price in tiers is its base, and no prices are no row', async () => {
  const recipe = await useRecipe('genai-prices');
  const tiers = (base: number) => ({ base, tiers: [{ start: 200_000, price: 99 }] });
  const models = [
    model('tiered', usd(tiers(0.2), tiers(0.5))),
    model('free-variant', {}),
    model('embedding', { input_mtok: 0.18000000000000002, requests_kcount: 5 }),
    model('by-request', { requests_kcount: 5 }),
  ];
  await recipe.publish('2026-07-30', files({ acme: models }));
  expect(await recipe.table('pricing', PRICE)).toEqual([
    ['embedding', 'acme', 0.18, null, null],
    ['tiered', 'acme', 0.2, 0.5, null],
  ]);
});

test('an id under several providers is one model with what the first of them knows', async () => {
  const recipe = await useRecipe('genai-prices');
  const listed = files({
    zeta: [model('a', usd(1, 2), { name: 'A of zeta', context_window: 8192 }), model('b', usd(1, 2))],
    acme: [model('a', usd(3, 4), { name: ' A ' })],
  });
  await recipe.publish('2026-07-30', listed);
  expect(await recipe.table('models', ['id', 'name', 'context_length', 'inference'])).toEqual([
    ['a', 'A', 8192, ['acme', 'zeta']],
    ['b', 'b', null, ['zeta']],
  ]);
  expect(await recipe.table('pricing', ['model_id', 'provider', 'input_per_million'])).toEqual([
    ['a', 'acme', 3],
    ['a', 'zeta', 1],
    ['b', 'zeta', 1],
  ]);
});
