import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadSections } from '../../pipeline/night/capture/sql/messages.ts';
import { RECIPES_FOLDER } from '../support/sources/recipe-folder.ts';
import { type Recipe, useRecipe } from '../support/sources/use-recipe.ts';
import { joinedFiles, NOBODY } from './joined-files.ts';

const DAY = '2026-08-01';

async function modelsOf(recipe: Recipe): Promise<readonly Record<string, unknown>[]> {
  return (await recipe.records('models')).filter(({ id }) => id !== NOBODY);
}

async function namesOf(recipe: Recipe): Promise<readonly unknown[]> {
  return (await modelsOf(recipe)).map(({ id }) => id);
}

test('one model is told by all its names, each field by the first upstream that knows it', async () => {
  const recipe = await useRecipe('public');
  const files = joinedFiles({
    modelsDev: {
      openai: { 'gpt-5': { name: 'GPT-5', release_date: '2025-08', limit: { context: 0 } } },
      openrouter: { 'openai/gpt-5': { name: 'gpt five', release_date: '2025-08-07', limit: { context: 400_000 } } },
    },
    openrouter: { 'openai/gpt-5': ['OpenAI: GPT-5', '0.000002', '0.00001'] },
    litellm: { 'gpt-5': ['openai', 1e-6, 1e-5], 'openrouter/openai/gpt-5': ['openrouter', 9e-6, 9e-6] },
    genaiPrices: { openai: { 'gpt-5': [1.25, 10] }, openrouter: { 'openai/gpt-5': [9, 9] } },
  });
  await recipe.publish(DAY, files);
  expect(await modelsOf(recipe)).toEqual([
    {
      id: 'gpt-5',
      name: 'GPT-5',
      organization: 'OpenAI',
      release_date: '2025-08-07',
      context_length: 400_000,
      inference: ['openai', 'openrouter'],
      source: 'models-dev',
    },
  ]);
});

test('a price is told by its seller first, then by models.dev, genai-prices and LiteLLM', async () => {
  const recipe = await useRecipe('public');
  const files = joinedFiles({
    modelsDev: {
      openrouter: { 'openai/gpt-5': { name: 'GPT-5', cost: { input: 5, output: 5 } } },
      openai: { 'gpt-5': { name: 'GPT-5' }, 'gpt-5-mini': { name: 'GPT-5 mini', cost: { input: 6, output: 6 } } },
    },
    openrouter: { 'openai/gpt-5': ['OpenAI: GPT-5', '0.000001', '0.000002'] },
    genaiPrices: {
      openai: { 'gpt-5': [3, 4], 'gpt-5-mini': [7, 7] },
      openrouter: { 'openai/gpt-5': [8, 8], 'gpt-5': [9, 9], o3: [9, 9] },
    },
    litellm: { 'gpt-5': ['openai', 9e-6, 9e-6], 'azure/gpt-5': ['azure', 2e-6, 4e-6] },
  });
  await recipe.publish(DAY, files);
  const prices = await recipe.records('pricing', ['model_id', 'provider', 'input_per_million', 'source']);
  expect(prices).toEqual([
    { model_id: 'gpt-5', provider: 'openai', input_per_million: 3, source: 'genai-prices' },
    { model_id: 'gpt-5', provider: 'openrouter', input_per_million: 1, source: 'openrouter' },
    { model_id: 'gpt-5-mini', provider: 'openai', input_per_million: 6, source: 'models-dev' },
    { model_id: 'litellm:azure/gpt-5', provider: 'azure', input_per_million: 2, source: 'litellm' },
  ]);
});

test("of two names of a model at one provider the model's own tells the price", async () => {
  const recipe = await useRecipe('public');
  const [own, alias] = ['claude-opus-4-5', 'anthropic/claude-opus-4.5'];
  const listed = {
    [alias]: { name: 'Opus', cost: { input: 9, output: 9 } },
    [own]: { name: 'Claude Opus 4.5', cost: { input: 5, output: 25 } },
  };
  await recipe.publish(DAY, joinedFiles({ modelsDev: { acme: listed } }));
  expect(await recipe.table('pricing', ['model_id', 'input_per_million'])).toEqual([[own, 5]]);
  expect((await modelsOf(recipe)).map(({ name }) => name)).toEqual(['Claude Opus 4.5']);
});

test('what no alias names stays apart, under the name of its upstream, though the text be the same', async () => {
  const recipe = await useRecipe('public');
  const files = joinedFiles({
    modelsDev: { acme: { same: { name: 'Same' } }, openrouter: { 'acme/known': { name: 'Known' } } },
    openrouter: { 'acme/known': ['Acme: Known', '0', '0'], 'acme/new': ['Acme: New', '0', '0'] },
    litellm: { same: ['acme', 1e-6, 1e-6], 'openrouter/acme/new': ['openrouter', 1e-6, 1e-6] },
    genaiPrices: { acme: { same: [1, 1] } },
    lmarena: ['same'],
    epoch: ['same'],
    livebench: ['same'],
  });
  await recipe.publish(DAY, files);
  expect(await namesOf(recipe)).toEqual([
    'acme/known',
    'acme/new',
    'epoch:same',
    'genai-prices:same',
    'litellm:same',
    'livebench:same',
    'lmarena:same',
    'same',
  ]);
});

test('scores and ranks of all upstreams meet at one model, and a score says whose it is', async () => {
  const recipe = await useRecipe('public');
  const [dated, plain] = ['claude-haiku-4-5-20251001', 'claude-haiku-4-5-20251001_32K'];
  const files = joinedFiles({
    modelsDev: { anthropic: { [dated]: { name: 'Claude Haiku 4.5' } } },
    lmarena: [dated],
    epoch: [dated, plain],
    livebench: [dated],
  });
  await recipe.publish(DAY, files);
  expect(await recipe.table('scores', ['model_id', 'benchmark_id', 'value', 'source'])).toEqual([
    [dated, 'epoch/mmlu', 0.5, 'epoch-external'],
    [dated, 'livebench/coding', 50, 'livebench'],
    [dated, 'livebench/overall', 50, 'livebench'],
    [`epoch:${plain}`, 'epoch/mmlu', 0.5, 'epoch-external'],
  ]);
  const ranks = await recipe.records('rankings', ['model_id', 'category', 'rank']);
  expect(ranks).toContainEqual({ model_id: dated, category: 'text/overall', rank: 1 });
  expect(await recipe.table('benchmarks', ['id', 'model_count'])).toEqual([
    ['epoch/mmlu', 2],
    ['livebench/coding', 1],
    ['livebench/overall', 1],
  ]);
});

test('every SELECT says whose its rows are', async () => {
  const sections = await loadSections(join(RECIPES_FOLDER, 'public/source.sql'));
  expect(sections.map(({ dataset }) => dataset)).toEqual(['models', 'benchmarks', 'scores', 'rankings', 'pricing']);
  for (const { sql } of sections) expect(sql).toMatch(/ AS upstream\b/);
});

test('no sentinel of any upstream gets in by way of another', async () => {
  const recipe = await useRecipe('public');
  const files = joinedFiles({
    modelsDev: { openrouter: { 'openrouter/auto': { name: 'Auto', limit: { context: 99_999_999 } } } },
    openrouter: { 'openrouter/auto': ['Auto Router', '-1', '-1'], '~acme/latest': ['Acme Latest', '1', '1'] },
    litellm: { sample_spec: ['one of https://…', 0, 0], 'openrouter/openrouter/auto': ['openrouter', 0, 0] },
    livebench: ['short,1,2', 'whole'],
  });
  expect(await recipe.publish(DAY, files)).toMatchObject({ quarantined: 2 });
  expect(await namesOf(recipe)).toEqual(['livebench:short', 'livebench:whole', 'openrouter/auto']);
  expect(await recipe.records('pricing')).toEqual([]);
  expect((await recipe.records('scores', ['model_id'])).map(({ model_id: id }) => id)).toEqual(
    Array(2).fill('livebench:whole'),
  );
  expect((await modelsOf(recipe)).map(({ context_length }) => context_length)).toEqual([null, null, null]);
});
