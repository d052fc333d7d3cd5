import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadSections } from '../../pipeline/night/capture/sql/messages.ts';
import { DATASET_NAMES } from '../../schemas/datasets.ts';
import { OFF_BY_DEFAULT } from '../support/sources/real-upstream.ts';
import { type DayFiles, RECIPES_FOLDER } from '../support/sources/recipe-folder.ts';
import { publishedRecipe, useRecipe } from '../support/sources/use-recipe.ts';

/** Who stands on boards that nobody was given for: a board always has somebody. */
const NOBODY = 'lmarena:nobody';
const DATED = 'claude-haiku-4-5-20251001';
const [OWN, ALIAS] = ['claude-opus-4-5', 'anthropic/claude-opus-4.5'];

const LATER = { release_date: '2025-08-07' };
const TEXT = ['text'];
const RETIRED = { status: 'deprecated' };

type ByName<V> = Readonly<Record<string, V>>;

interface Told {
  readonly modelsDev: ByName<ByName<object>>;
  readonly openrouter: ByName<readonly [name: string, prompt: string, completion: string, more?: object]>;
  readonly litellm: ByName<readonly [provider: string, input: number, output: number, more?: object]>;
  readonly genaiPrices: ByName<ByName<readonly [input: object | number, output: number, more?: object]>>;
  readonly lmarena: readonly string[];
  readonly epoch: readonly string[];
  readonly livebench: readonly string[];
}

/**
 * One day of all upstreams, in short; each test has models of its own. A price has dollars a token for input and output, but those of
 * genai-prices a million; models stand on the text board by rank, and have a score of 0.5 in MMLU and of 50 in every task.
 */
const TOLD: Told = {
  modelsDev: {
    openai: {
      'gpt-5': { name: 'GPT-5', release_date: '2025-08', limit: { context: 0 } },
      'gpt-5-mini': { name: 'GPT-5 mini', cost: { input: 6, output: 6 } },
    },
    openrouter: {
      'openai/gpt-5': { name: 'gpt five', ...LATER, limit: { context: 400_000 }, cost: { input: 5, output: 5 } },
      'acme/known': { name: 'Known' },
      'openrouter/auto': { name: 'Auto', limit: { context: 99_999_999 } },
    },
    acme: {
      [ALIAS]: { name: 'Opus', cost: { input: 9, output: 9 } },
      [OWN]: { name: 'Claude Opus 4.5', cost: { input: 5, output: 25 } },
      same: { name: 'Same' },
    },
    anthropic: {
      [DATED]: { name: 'Claude Haiku 4.5', limit: { output: 64_000 }, open_weights: false },
      'claude-old': { name: 'Old', ...RETIRED },
    },
    reseller: {
      [DATED]: {
        name: 'Haiku',
        ...RETIRED,
        knowledge: '2025-02',
        open_weights: true,
        modalities: { input: TEXT, output: TEXT },
      },
      'claude-old': { name: 'Old' },
      metered: { name: 'Metered', cost: { input: 1, output: 2, cache_read: 0.1, context_over_200k: { input: 3 } } },
    },
  },
  openrouter: {
    'openai/gpt-5': ['OpenAI: GPT-5', '0.000001', '0.000002'],
    'acme/known': ['Acme: Known', '0', '0'],
    'acme/new': ['Acme: New', '0', '0'],
    'shop/rated': ['Shop: Rated', '0.000001', '0.000002', { web_search: '0.01' }],
    'openrouter/auto': ['Auto Router', '-1', '-1'],
    '~acme/latest': ['Acme Latest', '1', '1'],
  },
  litellm: {
    'gpt-5': ['openai', 9e-6, 9e-6],
    'azure/gpt-5': ['azure', 2e-6, 4e-6],
    same: ['acme', 1e-6, 1e-6],
    'openrouter/acme/new': ['openrouter', 1e-6, 1e-6],
    'openrouter/shop/rated': ['openrouter', 1e-6, 2e-6, { cache_read_input_token_cost: 1e-7 }],
    'xai/grok-9': ['xai', 1e-6, 2e-6, { input_cost_per_token_batches: 5e-7, deprecation_date: '2026-09-15' }],
    'claude-haiku-4-5-20251001': [
      'anthropic',
      1e-6,
      5e-6,
      { supports_vision: true, supports_reasoning: false, max_output_tokens: 1 },
    ],
    sample_spec: ['one of https://…', 0, 0],
    'openrouter/openrouter/auto': ['openrouter', 0, 0],
  },
  genaiPrices: {
    openai: { 'gpt-5': [3, 4], 'gpt-5-mini': [7, 7] },
    openrouter: { 'openai/gpt-5': [8, 8], 'gpt-5': [9, 9], o3: [9, 9] },
    acme: { same: [1, 1] },
    reseller: {
      long: [{ base: 1, tiers: [{ start: 128_000, price: 2 }] }, 4],
    },
  },
  lmarena: [DATED, 'same'],
  epoch: [DATED, `${DATED}_32K`, 'same'],
  livebench: [DATED, 'same', 'short,1,2', 'whole'],
};

const DAY = '2026-08-01';

const recipe = publishedRecipe(
  'public',
  async () => {
    expect(await recipe.publish(DAY, joinedFiles(TOLD))).toMatchObject({ quarantined: 2 });
  },
  { on: OFF_BY_DEFAULT },
);

const isNamed = (pattern: RegExp) => (id: string) => pattern.test(id) && id !== NOBODY;
const isGpt5 = isNamed(/gpt-5/);

test('one model is told by all its names, each field by the first upstream that knows it', async () => {
  const fields = ['id', 'name', 'organization', 'release_date', 'context_length', 'inference', 'source'];
  expect(await recipe.table('models', fields, (id) => id === 'gpt-5')).toEqual([
    ['gpt-5', 'GPT-5', 'OpenAI', '2025-08-07', 400_000, ['openai', 'openrouter'], 'models-dev'],
  ]);
});

test('a price is told by its seller first, then by models.dev, genai-prices and LiteLLM', async () => {
  const prices = await recipe.table('pricing', ['model_id', 'provider', 'input_per_million', 'source'], isGpt5);
  expect(prices).toEqual([
    ['gpt-5', 'openai', 3, 'genai-prices'],
    ['gpt-5', 'openrouter', 1, 'openrouter'],
    ['gpt-5-mini', 'openai', 6, 'models-dev'],
    ['litellm:azure/gpt-5', 'azure', 2, 'litellm'],
  ]);
});

test("of two names of a model at one provider the model's own tells the price", async () => {
  const isOpus = isNamed(/opus/);
  expect(await recipe.table('pricing', ['model_id', 'input_per_million'], isOpus)).toEqual([[OWN, 5]]);
  expect(await recipe.table('models', ['name'], isOpus)).toEqual([['Claude Opus 4.5']]);
});

test('the rates of a price come whole from the upstream whose price counts', async () => {
  const isPriced = isNamed(/rated|metered|long|grok/);
  const prices = await recipe.records('pricing', ['model_id', 'source', 'rates'], isPriced);
  const [per, above] = [
    { unit: 'token', per: 1_000_000 },
    { context_min: 128_000, applies: 'request' },
  ];
  expect(prices).toEqual([
    {
      model_id: 'genai-prices:long',
      source: 'genai-prices',
      rates: [
        { meter: 'input', ...per, price: 1 },
        { meter: 'input', ...per, price: 2, when: above },
        { meter: 'output', ...per, price: 4 },
      ],
    },
    {
      model_id: 'litellm:xai/grok-9',
      source: 'litellm',
      rates: [
        { meter: 'input', ...per, price: 1 },
        { meter: 'input', ...per, price: 0.5, when: { tier: 'batch' } },
        { meter: 'output', ...per, price: 2 },
      ],
    },
    {
      model_id: 'metered',
      source: 'models-dev',
      rates: [
        { meter: 'cache_read', ...per, price: 0.1 },
        { meter: 'input', ...per, price: 1 },
        { meter: 'input', ...per, price: 3, when: { context_min: 200_000, applies: 'request' } },
        { meter: 'output', ...per, price: 2 },
      ],
    },
    {
      model_id: 'shop/rated',
      source: 'openrouter',
      rates: [
        { meter: 'input', ...per, price: 1 },
        { meter: 'output', ...per, price: 2 },
        { meter: 'search', unit: 'request', per: 1, price: 0.01 },
      ],
    },
  ]);
});

test('a fact of a model comes from the first upstream that knows it, and its capabilities whole from one', async () => {
  const fields = [
    ...[
      'id',
      'status',
      'retires_on',
      'max_output_tokens',
      'knowledge_cutoff',
      'open_weights',
      'modalities',
      'capabilities',
    ],
  ];
  const isOne = (id: string) => [DATED, 'claude-old', 'litellm:xai/grok-9'].includes(id);
  expect(await recipe.table('models', fields, isOne)).toEqual([
    // Its seller's modalities also say what it can do, and LiteLLM is not asked.
    [DATED, null, null, 64_000, '2025-02', false, { input: TEXT, output: TEXT }, []],
    ['claude-old', 'retired', null, null, null, null, null, null],
    ['litellm:xai/grok-9', null, '2026-09-15', null, null, null, null, null],
  ]);
});

test('what no alias names stays apart, under the name of its upstream, though the text be the same', async () => {
  const ids = (await recipe.table('models', ['id'], isNamed(/same|acme/))).flat();
  const apart = ['epoch', 'genai-prices', 'litellm', 'livebench', 'lmarena'].map((upstream) => `${upstream}:same`);
  expect(ids).toEqual(['acme/known', 'acme/new', ...apart, 'same']);
});

test('scores and ranks of all upstreams meet at one model, and a score says whose it is', async () => {
  const isHaiku = isNamed(/haiku/);
  const fields = ['model_id', 'benchmark_id', 'value', 'source', 'variant', 'reported_by', 'source_url'];
  const [collected, site] = [
    ['third_party', null],
    ['evaluator', 'https://livebench.ai'],
  ];
  expect(await recipe.table('scores', fields, isHaiku)).toEqual([
    [DATED, 'epoch/mmlu', 0.5, 'epoch-external', null, ...collected],
    [DATED, 'livebench/coding', 50, 'livebench', null, ...site],
    [DATED, 'livebench/overall', 50, 'livebench', null, ...site],
    [`epoch:${DATED}_32K`, 'epoch/mmlu', 0.5, 'epoch-external', '32K', ...collected],
  ]);
  expect(await recipe.table('rankings', ['category', 'rank'], isHaiku)).toEqual([['text/overall', 1]]);
  expect(await recipe.table('benchmarks', ['id', 'model_count'])).toEqual([
    ['epoch/mmlu', 3],
    ['livebench/coding', 3],
    ['livebench/overall', 3],
  ]);
});

test('what may not be passed on is off unless it is switched on: none of its rows, and nothing is missing', async () => {
  const byDefault = await useRecipe('public');
  // The day has all files, as one has that was fetched with them.
  const { warnings } = await byDefault.publish(DAY, joinedFiles(TOLD));
  expect(warnings.filter((warning) => /openrouter|livebench/i.test(warning))).toEqual([]);
  const { captured, upstreams, manifest } = await byDefault.newest();
  expect(captured).toEqual(DATASET_NAMES);
  const on = ['models-dev', 'litellm', 'genai-prices', 'lmarena', 'epoch'];
  expect(upstreams?.map(({ id }) => id)).toEqual(on);
  const terms = manifest.datasets.flatMap((file) => file.terms ?? []);
  expect(terms.filter(({ redistribution }) => !redistribution)).toEqual([]);
  expect(new Set(terms.map(({ source }) => source))).toEqual(new Set(on));
  const ids = (await byDefault.table('models', ['id'])).flat();
  expect(ids).toContain('acme/new'); // LiteLLM sells it too.
  expect(ids.filter((id) => /livebench/.test(String(id)))).toEqual([]);
  expect(await byDefault.table('benchmarks', ['id'])).toEqual([['epoch/mmlu']]);
  expect(await byDefault.table('pricing', ['provider', 'input_per_million', 'source'], (id) => id === 'gpt-5')).toEqual(
    [
      ['openai', 3, 'genai-prices'],
      ['openrouter', 5, 'models-dev'],
    ],
  );
});

test('every SELECT says whose its rows are', async () => {
  const sections = await loadSections(join(RECIPES_FOLDER, 'public/source.sql'));
  expect(sections.map(({ dataset }) => dataset)).toEqual(['models', 'benchmarks', 'scores', 'rankings', 'pricing']);
  for (const { sql } of sections) expect(sql).toMatch(/ AS upstream\b/);
});

test('no sentinel of any upstream gets in by way of another', async () => {
  const isSentinel = isNamed(/auto|latest|sample|short|whole/);
  expect(await recipe.table('models', ['id', 'context_length'], isSentinel)).toEqual([
    ['livebench:short', null],
    ['livebench:whole', null],
    ['openrouter/auto', null],
  ]);
  expect(await recipe.records('pricing', ['model_id'], isSentinel)).toEqual([]);
  expect((await recipe.table('scores', ['model_id'], isSentinel)).flat()).toEqual(Array(2).fill('livebench:whole'));
});

/** The files of a day of `sources/public`, each in its upstream's own form. */
function joinedFiles({ modelsDev, openrouter, litellm, genaiPrices, lmarena, epoch, livebench }: Told): DayFiles {
  return {
    'models-dev.json': mapValues(modelsDev, (models) => ({ models })),
    'openrouter.json': {
      data: Object.entries(openrouter).map(([id, [name, prompt, completion, more = {}]]) => ({
        id,
        name,
        pricing: { prompt, completion, ...more },
      })),
    },
    'litellm.json': mapValues(
      litellm,
      ([litellm_provider, input_cost_per_token, output_cost_per_token, more = {}]) => ({
        litellm_provider,
        mode: 'chat',
        input_cost_per_token,
        output_cost_per_token,
        ...more,
      }),
    ),
    'genai-prices.json': Object.entries(genaiPrices).map(([id, models]) => ({
      id,
      models: Object.entries(models).map(([model, [input_mtok, output_mtok, more = {}]]) => ({
        id: model,
        prices: { input_mtok, output_mtok, ...more },
      })),
    })),
    ...boards(lmarena),
    'epoch/mmlu_external.csv': csv([
      'Model version,EM,Release date,Organization,Display name',
      ...epoch.map((model) => `${model},0.5,,,`),
    ]),
    'livebench/table.csv': csv([
      'model,a,b,c',
      ...livebench.map((line) => (line.includes(',') ? line : `${line},50,50,50`)),
    ]),
    'livebench/categories.json': { Coding: ['a', 'b', 'c'] },
  };
}

function csv(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

/** Every board that is read; these models are on the text board. */
function boards(models: readonly string[]): DayFiles {
  const settings = JSON.parse(readFileSync(join(RECIPES_FOLDER, 'lmarena/source.json'), 'utf8'));
  const paths: readonly string[] = settings.fetch.map(({ file }: { readonly file: string }) => file);
  const rated = { organization: '', rating: 1500.5, variance: 4, vote_count: 10, category: 'overall' };
  const row = (model_name: string, index: number) => ({ model_name, rank: index + 1, ...rated });
  const nobody = [row('nobody', 0)];
  return Object.fromEntries(paths.map((path) => [path, path === 'lmarena/text.parquet' ? models.map(row) : nobody]));
}

function mapValues<V, R>(record: Readonly<Record<string, V>>, map: (value: V) => R): Readonly<Record<string, R>> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
