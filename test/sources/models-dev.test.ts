import { expect, test } from 'vitest';
import { useRecipe } from '../support/sources/use-recipe.ts';

const DAY = '2026-04-01';

/** An entry of a provider, as models.dev writes one. */
function entry(name: string, fields: object = {}): object {
  return { name, release_date: '2026-01-15', limit: { context: 128_000, output: 8192 }, ...fields };
}

/** A provider with its models, as models.dev writes one. */
function provider(id: string, models: Readonly<Record<string, object>>): object {
  const listed = Object.entries(models).map(([model, about]) => [model, { id: model, ...about }]);
  return { id, name: id.toUpperCase(), env: [], models: Object.fromEntries(listed) };
}

/** `api.json` of these providers, each with its models. */
function files(providers: Readonly<Record<string, Readonly<Record<string, object>>>>): Record<string, object> {
  const listed = Object.entries(providers).map(([id, models]) => [id, provider(id, models)]);
  return { 'models-dev.json': Object.fromEntries(listed) };
}

test('an id under many providers is one model, told by its maker first', async () => {
  const recipe = await useRecipe('models-dev');
  await recipe.publish(
    DAY,
    files({
      aggregator: { 'gpt-9': entry('gpt 9 (cheap)', { release_date: '2025-12-31', limit: { context: 1000 } }) },
      openai: { 'gpt-9': entry(' GPT-9\t', { limit: { context: 400_000 } }) },
      openrouter: { 'openai/gpt-9': entry('GPT-9') },
    }),
  );
  expect(await recipe.records('models')).toEqual([
    {
      id: 'gpt-9',
      name: 'GPT-9',
      organization: 'OpenAI',
      release_date: '2026-01-15',
      context_length: 400_000,
      inference: ['aggregator', 'openai'],
      source: 'models-dev',
    },
    {
      id: 'openai/gpt-9',
      name: 'GPT-9',
      organization: null,
      release_date: '2026-01-15',
      context_length: 128_000,
      inference: ['openrouter'],
      source: 'models-dev',
    },
  ]);
});

test('what a maker does not know of its model, the next provider tells', async () => {
  const recipe = await useRecipe('models-dev');
  const unknown = entry('Kimi K9', { release_date: '2026-01', limit: { context: 0 } });
  const unlimited = entry('kimi', { release_date: '2026-02-30', limit: { context: 99_999_999 } });
  await recipe.publish(
    DAY,
    files({
      aaa: { 'kimi-k9': unlimited, 'kimi-k8': unlimited },
      bbb: { 'kimi-k9': entry('kimi 9') },
      moonshotai: { 'kimi-k9': unknown, 'glm-9': entry('GLM-9') },
    }),
  );
  expect(await recipe.table('models', ['id', 'name', 'organization', 'release_date', 'context_length'])).toEqual([
    ['glm-9', 'GLM-9', null, '2026-01-15', 128_000],
    ['kimi-k8', 'kimi', null, null, null],
    ['kimi-k9', 'Kimi K9', 'Moonshot AI', '2026-01-15', 128_000],
  ]);
});

test('a price is a row per provider; no cost is no price, and dust and higher tiers are left out', async () => {
  const recipe = await useRecipe('models-dev');
  await recipe.publish(
    DAY,
    files({
      alpha: {
        'm-1': entry('M 1', { cost: { input: 0.15000000000000002, output: 0.6, context_over_200k: { input: 3 } } }),
        'm-2': entry('M 2'),
        'M-1': entry('M 1', { cost: { input: 0, output: 0 } }),
      },
      beta: { 'm-1': entry('M 1', { cost: { input: 2, output: 600 } }), 'm-3': entry('M 3', { cost: { input: 1 } }) },
    }),
  );
  expect(await recipe.table('pricing', ['model_id', 'provider', 'input_per_million', 'output_per_million'])).toEqual([
    ['M-1', 'alpha', 0, 0],
    ['m-1', 'alpha', 0.15, 0.6],
    ['m-1', 'beta', 2, 600],
    ['m-3', 'beta', 1, null],
  ]);
});

test('prices a million times too low are held back and never become free', async () => {
  const recipe = await useRecipe('models-dev');
  const listed = (input: number, output: number) =>
    files({
      openrouter: { a: entry('A', { cost: { input, output } }), b: entry('B', { cost: { input: 1, output: 2 } }) },
      other: Object.fromEntries(['c', 'd', 'e'].map((id) => [id, entry(id, { cost: { input: 1, output: 1 } })])),
    });
  await recipe.publish('2026-03-01', listed(0.2, 1.25));
  expect(await recipe.publish('2026-04-01', listed(2e-7, 1.25e-6))).toMatchObject({
    suspects_pending: 1,
    quarantined: 0,
  });
  const prices = ['model_id', 'input_per_million', 'output_per_million'];
  const before = { model_id: 'a', input_per_million: 0.2, output_per_million: 1.25 };
  expect((await recipe.records('pricing', prices))[0]).toEqual(before);
  expect(await recipe.publish('2026-05-01', listed(0.2, 1.25))).toMatchObject({
    suspects_pending: 0,
    events: { upsert: 0, delete: 0 },
  });
});

test.each(['input', 'output'])('rounding makes no %s price free', async (side) => {
  const recipe = await useRecipe('models-dev');
  const others = Object.fromEntries(['c', 'd', 'e', 'f'].map((id) => [id, entry(id, { cost: { input: 1 } })]));
  await recipe.publish(DAY, files({ alpha: { ...others, tiny: entry('Tiny', { cost: { [side]: 2e-7 } }) } }));
  expect(await recipe.suspects()).toEqual([expect.objectContaining({ model_id: 'tiny' })]);
  expect(await recipe.records('pricing', ['model_id'])).toHaveLength(4);
});

test('a price that is no number is set aside, and the one in force stays', async () => {
  const recipe = await useRecipe('models-dev');
  const b = entry('B', { cost: { input: 5, output: 6 } });
  const listed = (input: unknown) => files({ alpha: { a: entry('A', { cost: { input, output: 2 } }), b } });
  await recipe.publish('2026-03-01', listed(1));
  expect(await recipe.publish('2026-03-02', listed({ base: 3 }))).toMatchObject({ quarantined: 1 });
  const inputs = (await recipe.records('pricing', ['input_per_million'])).map((price) => price['input_per_million']);
  expect(inputs).toEqual([1, 5]);
});
