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
const retired = { status: 'deprecated' };

/** As models.dev writes them in May 2026, and tiers as it writes them since. */
const METERED = {
  audio: {
    input: 0.5,
    output: 3,
    cache_read: 0.049999999999999996,
    reasoning: 3,
    input_audio: 1,
    output_audio: 12,
  },
  long: {
    input: 1.25,
    output: 10,
    cache_read: 0.125,
    context_over_200k: { input: 2.5, output: 15, cache_read: 0.25, cache_write: 0 },
  },
  tiered: {
    input: 5,
    output: 30,
    context_over_200k: { input: 10, output: 45 },
    tiers: [
      { input: 10, output: 45, tier: { type: 'context', size: 272_000 } },
      { input: 12, output: 50, tier: { type: 'hour', size: 8 } },
    ],
  },
};

function mode(cost: object, body: object): object {
  return { cost, provider: { body } };
}

const MODES = {
  fast: mode({ input: 30, output: 150, cache_write: 37.5 }, { speed: 'fast' }),
  turbo: mode({ input: 12.5, output: 75 }, { service_tier: 'priority' }),
  // Neither another mode of the same tier nor one of an unknown name.
  urgent: mode({ input: 99, output: 99 }, { service_tier: 'priority' }),
  calm: mode({ input: 1, output: 1 }, {}),
};

/** A model with all that models.dev says of one. */
const described = {
  limit: { context: 400_000, output: 128_000 },
  knowledge: '2025-08',
  open_weights: false,
  modalities: { input: ['text', 'image', 'pdf', 'audio', 'video'], output: ['text', 'audio'] },
  tool_call: true,
  reasoning: false,
  structured_output: true,
};

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
  meters: {
    ...Object.fromEntries(Object.entries(METERED).map(([id, cost]) => [id, entry(id, { cost })])),
    modes: entry('modes', { cost: { input: 5, output: 25 }, experimental: { modes: MODES } }),
  },
  alibaba: { 'qwen-old': entry('Qwen', retired), 'qwen-half': entry('Qwen', retired) },
  'alibaba-cn': { 'qwen-old': entry('Qwen', retired), 'qwen-half': entry('Qwen') },
  anthropic: { 'claude-9': entry('Claude 9', described), 'claude-10': entry('Claude 10', { status: 'beta' }) },
  seller: {
    'claude-9': entry('Claude 9', { ...retired, ...described, limit: { output: 4096 }, knowledge: '2024' }),
    'unknown-9': entry('?', { limit: { output: 99_999_999 }, knowledge: '2025-13', modalities: { input: ['text'] } }),
    'plain-9': entry('Plain', {
      limit: { output: 0 },
      modalities: { input: ['text'], output: ['text'] },
      tool_call: false,
    }),
  },
  other: Object.fromEntries(['c', 'd', 'e', 'f', 'g', 'h', 'i'].map((id) => [id, entry(id, plain)])),
};

/** A day on which prices are what `jump` and `text` say. */
function dayWith(jump: object, text: unknown): Record<string, object> {
  const cost = { input: text, output: 2 };
  return files({
    ...EVERY_DAY,
    jumping: { jump: entry('Jump', { cost: jump }) },
    odd: { odd: entry('Odd', { cost }), cached: entry('Cached', { cost: { input: 1, output: 1, cache_read: text } }) },
  });
}

const nights: Awaited<ReturnType<Recipe['publish']>>[] = [];
/** The price of a model on each day. */
const prices: Record<string, unknown[]> = { jump: [], odd: [], cached: [] };

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

test('a price is a row per provider; no cost is no price, and dust is left out', async () => {
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
  expect(nights.map(({ quarantined }) => quarantined)).toEqual([0, 2, 0]);
  expect(prices['odd']).toEqual([1, 1, 1]);
  expect(prices['cached']).toEqual([1, 1, 1]);
});

/** The rates of a model: meter, price, and what has to hold. */
async function ratesOf(model: string): Promise<readonly unknown[]> {
  const [price] = await recipe.records('pricing', ['rates'], (id) => id === model);
  const rates = price?.['rates'] as readonly {
    meter: string;
    unit: string;
    per: number;
    price: number;
    when?: object;
  }[];
  expect(rates.every(({ unit, per }) => unit === 'token' && per === 1_000_000)).toBe(true);
  return rates.map(({ meter, price: amount, when }) => [meter, amount, ...(when === undefined ? [] : [when])]);
}

test('every meter has its rate, with the noise of floating point rounded away', async () => {
  expect(await ratesOf('audio')).toEqual([
    ['audio_in', 1],
    ['audio_out', 12],
    ['cache_read', 0.05],
    ['input', 0.5],
    ['output', 3],
    ['reasoning', 3],
  ]);
  expect(await ratesOf('c')).toEqual([
    ['input', 1],
    ['output', 1],
  ]);
});

test('a longer request has its own rates, of free tokens too', async () => {
  const long = { context_min: 200_000, applies: 'request' };
  expect(await ratesOf('long')).toEqual([
    ['cache_read', 0.125],
    ['cache_read', 0.25, long],
    ['cache_write', 0, long],
    ['input', 1.25],
    ['input', 2.5, long],
    ['output', 10],
    ['output', 15, long],
  ]);
});

test('tiers name their context, which context_over_200k does not; tiers of another kind are left out', async () => {
  const long = { context_min: 272_000, applies: 'request' };
  expect(await ratesOf('tiered')).toEqual([
    ['input', 5],
    ['input', 10, long],
    ['output', 30],
    ['output', 45, long],
  ]);
});

test('a mode is the tier of service that a request has to ask for', async () => {
  expect(await ratesOf('modes')).toEqual([
    ['cache_write', 37.5, { tier: 'fast' }],
    ['input', 5],
    ['input', 30, { tier: 'fast' }],
    ['input', 12.5, { tier: 'priority' }],
    ['output', 25],
    ['output', 150, { tier: 'fast' }],
    ['output', 75, { tier: 'priority' }],
  ]);
});

test('a model is retired when each of its maker’s own providers has stopped serving it, whatever sellers do', async () => {
  expect(await recipe.table('models', ['id', 'status'], (id) => /^(claude|qwen)-/.test(id))).toEqual([
    ['claude-10', 'preview'],
    ['claude-9', null],
    ['qwen-half', null],
    ['qwen-old', 'retired'],
  ]);
});

test('what a model can do comes from its maker; placeholders and half of the modalities are unknown', async () => {
  const fields = ['id', 'max_output_tokens', 'knowledge_cutoff', 'open_weights', 'modalities', 'capabilities'];
  const input = ['audio', 'image', 'pdf', 'text', 'video'];
  const capabilities = ['audio_in', 'audio_out', 'pdf', 'structured_output', 'tools', 'video_in', 'vision'];
  expect(await recipe.table('models', fields, (id) => id.endsWith('-9') && !id.includes('gpt'))).toEqual([
    ['claude-9', 128_000, '2025-08', false, { input, output: ['audio', 'text'] }, capabilities],
    ['glm-9', 8192, null, null, null, null],
    ['plain-9', null, null, null, { input: ['text'], output: ['text'] }, []],
    ['unknown-9', null, null, null, null, []],
  ]);
});
