import { expect, test } from 'vitest';
import { useRecipe } from '../support/sources/use-recipe.ts';

const DAY = '2026-04-01';

/** A configuration of a model, as upstream lists one. */
function model(
  slug: string,
  [input, output]: readonly [unknown, unknown],
  evaluations: object,
  fields: object = {},
): object {
  return {
    id: `uuid-of-${slug}`,
    name: ` ${slug.toUpperCase()}`,
    slug,
    release_date: '2026-03-01',
    model_creator: { id: 'uuid', name: 'Acme', slug: 'acme' },
    evaluations,
    pricing: { price_1m_blended_3_to_1: 0, price_1m_input_tokens: input, price_1m_output_tokens: output },
    median_output_tokens_per_second: 0,
    ...fields,
  };
}

function files(data: readonly object[]): Record<string, object> {
  const prompt_options = { parallel_queries: 1, prompt_length: 1000 };
  return { 'artificial-analysis.json': { status: 200, prompt_options, data } };
}

test('prices that are all zero are unknown, and never free', async () => {
  const recipe = await useRecipe('artificial-analysis');
  const data = [
    model('priced', [0.15000000000000002, 0.6], {}),
    model('unknown', [0, 0], {}),
    model('null', [null, null], {}),
    model('half-null', [0, null], {}),
    model('free-input', [0, 2], {}),
  ];
  await recipe.publish(DAY, files(data));
  expect(await recipe.records('pricing', ['model_id', 'provider', 'input_per_million', 'output_per_million'])).toEqual([
    { model_id: 'free-input', provider: 'artificial-analysis', input_per_million: 0, output_per_million: 2 },
    { model_id: 'priced', provider: 'artificial-analysis', input_per_million: 0.15, output_per_million: 0.6 },
  ]);
  expect(await recipe.records('models')).toHaveLength(5);
});

test('an evaluation that was not run is no score, a zero is one, and a new evaluation needs no new recipe', async () => {
  const recipe = await useRecipe('artificial-analysis');
  const data = [
    model('a-low', [1, 2], { gpqa: 0.5, tau2: null, new_eval: 0.25 }),
    model('a-high', [1, 2], { gpqa: 0, tau2: null, artificial_analysis_math_index: 61.2 }, { release_date: '2026-03' }),
  ];
  await recipe.publish(DAY, files(data));
  expect(await recipe.records('scores', ['model_id', 'benchmark_id', 'value', 'source'])).toEqual([
    {
      model_id: 'a-high',
      benchmark_id: 'artificial-analysis/artificial_analysis_math_index',
      value: 61.2,
      source: 'artificial-analysis',
    },
    { model_id: 'a-high', benchmark_id: 'artificial-analysis/gpqa', value: 0, source: 'artificial-analysis' },
    { model_id: 'a-low', benchmark_id: 'artificial-analysis/gpqa', value: 0.5, source: 'artificial-analysis' },
    { model_id: 'a-low', benchmark_id: 'artificial-analysis/new_eval', value: 0.25, source: 'artificial-analysis' },
  ]);
  expect(await recipe.records('benchmarks', ['id', 'name', 'category'])).toEqual([
    {
      id: 'artificial-analysis/artificial_analysis_math_index',
      name: 'Artificial Analysis Math Index',
      category: 'index',
    },
    { id: 'artificial-analysis/gpqa', name: 'GPQA Diamond', category: 'science' },
    { id: 'artificial-analysis/new_eval', name: 'new eval', category: null },
  ]);
  expect(await recipe.records('models', ['id', 'name', 'organization', 'release_date'])).toEqual([
    { id: 'a-high', name: 'A-HIGH', organization: 'Acme', release_date: null },
    { id: 'a-low', name: 'A-LOW', organization: 'Acme', release_date: '2026-03-01' },
  ]);
});

test('the body of an error has no data, and empties nothing', async () => {
  const recipe = await useRecipe('artificial-analysis');
  await recipe.publish('2026-03-02', files([model('a', [1, 2], { gpqa: 0.5 })]));
  const night = await recipe.nightOf('2026-03-03', { 'artificial-analysis.json': { error: 'API key is required' } });
  expect(night).toMatchObject({ status: 'rejected', problems: [expect.stringMatching(/has no data/)] });
});
