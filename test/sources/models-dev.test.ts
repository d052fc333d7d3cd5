import { expect, test } from 'vitest';
import { publishedRecipe, type Recipe } from '../support/sources/use-recipe.ts';

/** An entry of a provider, as models.dev writes one. */
function entry(name: string, fields: object = {}): object {
  return { name, release_date: '2026-01-15', limit: { context: 128_000, output: 8192 }, ...fields };
}

function provider(id: string, models: Readonly<Record<string, object>>): object {
  const listed = Object.entries(models).map(([model, about]) => [model, { id: model, ...about }]);
  return { id, name: id.toUpperCase(), env: [], models: Object.fromEntries(listed) };
}

type Providers = Readonly<Record<string, Readonly<Record<string, object>>>>;

/** `api.json` of these providers, each with its models. */
function files(providers: Providers): Record<string, object> {
  const listed = Object.entries(providers).map(([id, models]) => [id, provider(id, models)]);
  return { 'models-dev.json': Object.fromEntries(listed) };
}

const unlimited = entry('kimi', { release_date: '2026-02-30', limit: { context: 99_999_999 } });
const plain = { cost: { input: 1, output: 1 } };

/** What is there every day, each test's under providers of its own. */
const EVERY_DAY: Providers = {
  aggregator: { 'gpt-9': entry('gpt 9 (cheap)', { release_date: '2025-12-31', limit: { context: 1000 } }) },
  openai: { 'gpt-9': entry(' GPT-9\t', { limit: { context: 400_000 } }) },
  openrouter: { 'openai/gpt-9': entry('GPT-9') },

  aaa: { 'kimi-k9': unlimited, 'kimi-k8': unlimited },
  bbb: { 'kimi-k9': entry('kimi 9') },
  moonshotai: {
    'kimi-k9': entry('Kimi K9', { release_date: '2026-01', limit: { context: 0 } }),
    'glm-9': entry('GLM-9'),
  },

  alpha: {
    'm-1': entry('M 1', { cost: { input: 0.15000000000000002, output: 0.6, context_over_200k: { input: 3 } } }),
    'm-2': entry('M 2'),
    'M-1': entry('M 1', { cost: { input: 0, output: 0 } }),
  },
  beta: { 'm-1': entry('M 1', { cost: { input: 2, output: 600 } }), 'm-3': entry('M 3', { cost: { input: 1 } }) },

  tiny: {
    'tiny-input': entry('Tiny', { cost: { input: 2e-7 } }),
    'tiny-output': entry('Tiny', { cost: { output: 2e-7 } }),
  },
  other: Object.fromEntries(['c', 'd', 'e', 'f', 'g', 'h', 'i'].map((id) => [id, entry(id, plain)])),
};

/** A day on which prices are what `jump` and `text` say. */
function dayWith(jump: object, text: unknown): Record<string, object> {
  const cost = { input: text, output: 2 };
  return files({
    ...EVERY_DAY,
    jumping: { jump: entry('Jump', { cost: jump }) },
    odd: { odd: entry('Odd', { cost }) },
  });
}

const nights: Awaited<ReturnType<Recipe['publish']>>[] = [];
/** The price of a model on each day. */
const prices: Record<string, unknown[]> = { jump: [], odd: [] };

const recipe = publishedRecipe('models-dev', async () => {
  const sane = { input: 0.2, output: 1.25 };
  const days = [
    ['2026-03-01', dayWith(sane, 1)],
    ['2026-04-01', dayWith({ input: 2e-7, output: 1.25e-6 }, { base: 3 })],
    ['2026-05-01', dayWith(sane, 1)],
  ] as const;
  for (const [day, given] of days) {
    nights.push(await recipe.publish(day, given));
    for (const [id, values] of Object.entries(prices)) {
      const [price] = await recipe.records('pricing', ['input_per_million'], (model) => model === id);
      values.push(price?.['input_per_million']);
    }
  }
});

test('an id under many providers is one model, told by its maker first', async () => {
  const fields = ['id', 'name', 'organization', 'release_date', 'context_length', 'inference', 'source'];
  expect(await recipe.table('models', fields, (id) => id.endsWith('gpt-9'))).toEqual([
    ['gpt-9', 'GPT-9', 'OpenAI', '2026-01-15', 400_000, ['aggregator', 'openai'], 'models-dev'],
    ['openai/gpt-9', 'GPT-9', null, '2026-01-15', 128_000, ['openrouter'], 'models-dev'],
  ]);
});

test('what a maker does not know of its model, the next provider tells', async () => {
  const fields = ['id', 'name', 'organization', 'release_date', 'context_length'];
  expect(await recipe.table('models', fields, (id) => /^(glm|kimi)-/.test(id))).toEqual([
    ['glm-9', 'GLM-9', null, '2026-01-15', 128_000],
    ['kimi-k8', 'kimi', null, null, null],
    ['kimi-k9', 'Kimi K9', 'Moonshot AI', '2026-01-15', 128_000],
  ]);
});

test('a price is a row per provider; no cost is no price, and dust and higher tiers are left out', async () => {
  const fields = ['model_id', 'provider', 'input_per_million', 'output_per_million'];
  expect(await recipe.table('pricing', fields, (id) => /^m-/i.test(id))).toEqual([
    ['M-1', 'alpha', 0, 0],
    ['m-1', 'alpha', 0.15, 0.6],
    ['m-1', 'beta', 2, 600],
    ['m-3', 'beta', 1, null],
  ]);
});

test('prices a million times too low are held back and never become free', () => {
  expect(nights.map(({ suspects_pending }) => suspects_pending)).toEqual([2, 3, 2]);
  expect(prices['jump']).toEqual([0.2, 0.2, 0.2]);
  expect(nights[2]?.events).toEqual({ upsert: 0, delete: 0 });
});

test('rounding makes no input or output price free', async () => {
  expect((await recipe.suspects()).map(({ model_id }) => model_id)).toEqual(['tiny-input', 'tiny-output']);
  expect(await recipe.records('pricing', ['model_id'], (id) => id.startsWith('tiny'))).toEqual([]);
});

test('a price that is no number is set aside, and the one in force stays', () => {
  expect(nights.map(({ quarantined }) => quarantined)).toEqual([0, 1, 0]);
  expect(prices['odd']).toEqual([1, 1, 1]);
});
