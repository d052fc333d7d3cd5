import { expect, test } from 'vitest';
import { publishedRecipe } from '../support/sources/use-recipe.ts';

const DAY = '2026-04-01';

/** A configuration of a model, as upstream lists one. */
function model(slug: string, [input, output]: readonly unknown[], evaluations = {}, fields = {}): object {
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

const recipe = publishedRecipe('artificial-analysis', async () => {
  const scored = { gpqa: 0, tau2: null, artificial_analysis_math_index: 61.2 };
  const data = [
    model('priced', [0.15000000000000002, 0.6]),
    model('unknown', [0, 0]),
    model('null', [null, null]),
    model('half-null', [0, null]),
    model('free-input', [0, 2]),
    model('a-low', [1, 2], { gpqa: 0.5, tau2: null, new_eval: 0.25 }),
    model('a-high', [1, 2], scored, { release_date: '2026-03' }),
  ];
  await recipe.publish(DAY, files(data));
});

const isScored = (id: string) => id.startsWith('a-');

test('prices that are all zero are unknown, and never free', async () => {
  const fields = ['model_id', 'provider', 'input_per_million', 'output_per_million'];
  expect(await recipe.table('pricing', fields, (id) => !isScored(id))).toEqual([
    ['free-input', 'artificial-analysis', 0, 2],
    ['priced', 'artificial-analysis', 0.15, 0.6],
  ]);
  expect(await recipe.records('models')).toHaveLength(7);
});

test('an evaluation that was not run is no score, a zero is one, and a new evaluation needs no new recipe', async () => {
  expect(await recipe.table('scores', ['model_id', 'benchmark_id', 'value', 'source'])).toEqual([
    ['a-high', 'artificial-analysis/artificial_analysis_math_index', 61.2, 'artificial-analysis'],
    ['a-high', 'artificial-analysis/gpqa', 0, 'artificial-analysis'],
    ['a-low', 'artificial-analysis/gpqa', 0.5, 'artificial-analysis'],
    ['a-low', 'artificial-analysis/new_eval', 0.25, 'artificial-analysis'],
  ]);
  expect(await recipe.table('benchmarks', ['id', 'name', 'category'])).toEqual([
    ['artificial-analysis/artificial_analysis_math_index', 'Artificial Analysis Math Index', 'index'],
    ['artificial-analysis/gpqa', 'GPQA Diamond', 'science'],
    ['artificial-analysis/new_eval', 'new eval', null],
  ]);
  expect(await recipe.table('models', ['id', 'name', 'organization', 'release_date'], isScored)).toEqual([
    ['a-high', 'A-HIGH', 'Acme', null],
    ['a-low', 'A-LOW', 'Acme', '2026-03-01'],
  ]);
});

test('the body of an error has no data, and empties nothing', async () => {
  const night = await recipe.nightOf('2026-04-02', { 'artificial-analysis.json': { error: 'API key is required' } });
  expect(night).toMatchObject({ status: 'rejected', problems: [expect.stringMatching(/has no data/)] });
});

test('Artificial Analysis reports its scores itself, and a price has its rates', async () => {
  const reporters = (await recipe.table('scores', ['reported_by', 'source_url'])).map((fields) => fields.join());
  expect(new Set(reporters)).toEqual(new Set(['evaluator,']));
  expect(await recipe.table('pricing', ['rates'], (id) => id === 'priced')).toEqual([
    [
      [
        { meter: 'input', unit: 'token', per: 1_000_000, price: 0.15 },
        { meter: 'output', unit: 'token', per: 1_000_000, price: 0.6 },
      ],
    ],
  ]);
});
