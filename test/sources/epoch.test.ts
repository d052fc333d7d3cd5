import { expect, test } from 'vitest';
import { useRecipe } from '../support/sources/use-recipe.ts';

const DAY = '2026-03-09';
const INDEX = `Model version,ECI Score,Release date,Organization,Display name,Description
gpt-9_high,154.2,2026-02-05,OpenAI,"GPT-9 (high)
",
gpt-9,,2026-02-05,OpenAI,,"Two lines,
and a comma"
"Bloom-9 ",,,"Hugging Face,BigScience",,
`;

const SCORES = ['model_id', 'benchmark_id', 'value', 'source', 'measured_at'];

/** A day with these files of the zip. */
function files(given: Readonly<Record<string, string>>): Record<string, string> {
  const named = Object.entries(given).map(([name, text]) => [`epoch/${name}.csv`, text]);
  return { 'epoch/README.md': '# Epoch', ...Object.fromEntries(named), 'epoch/epoch_capabilities_index.csv': INDEX };
}

test('the score stands in a column of another name in each file, and a row without model or score is none', async () => {
  const recipe = await useRecipe('epoch');
  const day = files({
    geobench_external: 'Model version,Tools,ACW Avg Score,Release date,Organization\ngpt-9,Search,3500.5,,\n',
    swe_bench_bash: 'Model version,% Resolved,Release date,Organization\ngpt-9,0.7440000000000001,,\n,0.5,,Acme\n',
    fictionlivebench_external:
      'Model version,120k token score,Release date,Organization\ngpt-9,,,\nx/new,0.5,2026-01-01,Acme\n',
    not_known_yet: 'Model version,Some score,Release date,Organization\ngpt-9,1,,\n',
  });
  expect(await recipe.publish(DAY, day)).toMatchObject({ quarantined: 0 });
  expect(await recipe.table('scores', SCORES)).toEqual([
    ['gpt-9', 'epoch/geobench', 3500.5, 'epoch-external', null],
    ['gpt-9', 'epoch/swe_bench_bash', 0.744, 'epoch-external', null],
    ['gpt-9_high', 'epoch/epoch_capabilities_index', 154.2, 'epoch', null],
    ['x/new', 'epoch/fictionlivebench', 0.5, 'epoch-external', null],
  ]);
  const benchmarks = (await recipe.records('benchmarks', ['id'])).map(({ id }) => id);
  const known = ['epoch_capabilities_index', 'fictionlivebench', 'geobench', 'swe_bench_bash'];
  expect(benchmarks).toEqual(known.map((name) => `epoch/${name}`));
});

test('a model is named by the index, with quoted breaks, commas and outer white space read as they are meant', async () => {
  const recipe = await useRecipe('epoch');
  const day = files({
    mmlu_external:
      'Model version,EM,Release date,Organization\nBloom-9,0.3,2022-07-11,BigScience\nx/new,0.5,2026-01,Acme\n',
  });
  await recipe.publish(DAY, day);
  expect(await recipe.table('models', ['id', 'name', 'organization', 'release_date'])).toEqual([
    ['Bloom-9', 'Bloom-9', 'Hugging Face,BigScience', '2022-07-11'],
    ['gpt-9', 'gpt-9', 'OpenAI', '2026-02-05'],
    ['gpt-9_high', 'GPT-9 (high)', 'OpenAI', '2026-02-05'],
    ['x/new', 'x/new', 'Acme', null],
  ]);
});

test('of several results of a model the newest run counts, and the highest where no run has a date', async () => {
  const recipe = await useRecipe('epoch');
  const day = files({
    gpqa_diamond: `Model version,mean_score,Release date,Organization,Started at
gpt-9,0.9,,,2026-01-01T10:00:00.000Z
gpt-9,0.8,,,2026-02-01T10:00:00.000Z
`,
    mmlu_external: 'Model version,EM,Release date,Organization,Shots\ngpt-9,0.5,,,5\ngpt-9,0.75,,,0\ngpt-9,0.10,,,1\n',
  });
  expect(await recipe.publish(DAY, day)).toMatchObject({ quarantined: 0 });
  const scores = (await recipe.records('scores', SCORES)).filter(({ model_id }) => model_id === 'gpt-9');
  expect(scores).toEqual([
    { model_id: 'gpt-9', benchmark_id: 'epoch/gpqa_diamond', value: 0.8, source: 'epoch', measured_at: '2026-02-01' },
    { model_id: 'gpt-9', benchmark_id: 'epoch/mmlu', value: 0.75, source: 'epoch-external', measured_at: null },
  ]);
});

test('a file that lost its column keeps the scores in force', async () => {
  const recipe = await useRecipe('epoch');
  const mmlu = (column: string) => ({
    mmlu_external: `Model version,${column},Release date,Organization\ngpt-9,0.5,,\n`,
  });
  await recipe.publish('2026-03-08', files(mmlu('EM')));
  expect(await recipe.publish(DAY, files(mmlu('Exact match')))).toMatchObject({
    quarantined: 1,
    events: { delete: 0 },
  });
  expect(await recipe.records('scores')).toHaveLength(2);
});

test('a column is found whatever the case in which another file writes it', async () => {
  const recipe = await useRecipe('epoch');
  const day = files({
    aaa_first: 'Model version,em,Release date,Organization\ngpt-9,1,,\n',
    mmlu_external: 'Model version,EM,Release date,Organization\ngpt-9,0.5,,\n',
  });
  expect(await recipe.publish(DAY, day)).toMatchObject({ quarantined: 0 });
  expect(await recipe.records('scores')).toHaveLength(2);
});
