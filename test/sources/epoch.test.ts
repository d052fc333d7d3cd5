import { expect, test } from 'vitest';
import { publishedRecipe, useRecipe } from '../support/sources/use-recipe.ts';

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

const header = (...columns: readonly string[]) => ['Model version', ...columns, 'Release date', 'Organization'].join();

/** Every test's file; `mmlu` with its column under this name. */
function filesWith(column: string): Record<string, string> {
  return files({
    // Its column is in another case than that of the file which comes later.
    aaa_first: `${header('em')}\ngpt-9,1,,\n`,
    geobench_external: `${header('Tools', 'ACW Avg Score')}\ngpt-9,Search,3500.5,,\n`,
    swe_bench_bash: `${header('% Resolved')}\ngpt-9,0.7440000000000001,,\n,0.5,,Acme\n`,
    fictionlivebench_external: `${header('120k token score')}\ngpt-9,,,\nx/new,0.5,2026-01-01,Acme\n`,
    not_known_yet: `${header('Some score')}\ngpt-9,1,,\n`,
    gpqa_diamond: `${header('mean_score')},Started at
gpt-9,0.9,,,2026-01-01T10:00:00.000Z
gpt-9,0.8,,,2026-02-01T10:00:00.000Z
`,
    mmlu_external: `${header(column)},Shots
gpt-9,0.5,,,5\ngpt-9,0.75,,,0\ngpt-9,0.10,,,1
Bloom-9,0.3,2022-07-11,BigScience,\nx/newer,0.5,2026-01,Acme,\n`,
  });
}

const recipe = publishedRecipe('epoch', async () => {
  expect(await recipe.publish(DAY, filesWith('EM'))).toMatchObject({ quarantined: 0 });
});

test('the score stands in a column of another name in each file, and a row without model or score is none', async () => {
  const scores = await recipe.table('scores', SCORES);
  expect(scores.filter(([, benchmark]) => !/mmlu|gpqa/.test(String(benchmark)))).toEqual([
    ['gpt-9', 'epoch/geobench', 3500.5, 'epoch-external', null],
    ['gpt-9', 'epoch/swe_bench_bash', 0.744, 'epoch-external', null],
    ['gpt-9_high', 'epoch/epoch_capabilities_index', 154.2, 'epoch', null],
    ['x/new', 'epoch/fictionlivebench', 0.5, 'epoch-external', null],
  ]);
  const benchmarks = (await recipe.records('benchmarks', ['id'])).map(({ id }) => id);
  const known = ['epoch_capabilities_index', 'fictionlivebench', 'geobench', 'gpqa_diamond', 'mmlu', 'swe_bench_bash'];
  expect(benchmarks).toEqual(known.map((name) => `epoch/${name}`));
});

test('a model is named by the index, with quoted breaks, commas and outer white space read as they are meant', async () => {
  expect(await recipe.table('models', ['id', 'name', 'organization', 'release_date'])).toEqual([
    ['Bloom-9', 'Bloom-9', 'Hugging Face,BigScience', '2022-07-11'],
    ['gpt-9', 'gpt-9', 'OpenAI', '2026-02-05'],
    ['gpt-9_high', 'GPT-9 (high)', 'OpenAI', '2026-02-05'],
    ['x/new', 'x/new', 'Acme', '2026-01-01'],
    ['x/newer', 'x/newer', 'Acme', null],
  ]);
});

test('of several results of a model the newest run counts, and the highest where no run has a date', async () => {
  const scores = (await recipe.table('scores', SCORES)).filter(([model, benchmark]) => {
    return model === 'gpt-9' && /mmlu|gpqa/.test(String(benchmark));
  });
  expect(scores).toEqual([
    ['gpt-9', 'epoch/gpqa_diamond', 0.8, 'epoch', '2026-02-01'],
    ['gpt-9', 'epoch/mmlu', 0.75, 'epoch-external', null],
  ]);
});

test('a column is found whatever the case in which another file writes it', async () => {
  const scores = await recipe.records('scores', ['benchmark_id'], (id) => id === 'Bloom-9');
  expect(scores).toEqual([{ benchmark_id: 'epoch/mmlu' }]);
});

test('a file that lost its column keeps the scores in force', async () => {
  const before = await recipe.records('scores');
  expect(await recipe.publish('2026-03-10', filesWith('Exact match'))).toMatchObject({
    quarantined: 3,
    events: { upsert: 0, delete: 0 },
  });
  expect(await recipe.records('scores')).toEqual(before);
});

/** Files with all that Epoch says beside a score. */
function detailedFiles(): Record<string, string> {
  const linked = 'Source link';
  return files({
    gpqa_diamond: `${header('mean_score', 'stderr', 'Log viewer')},Started at
gpt-9_32K,0.91,0.0200341234,https://logs.epoch.ai/1,,,2026-02-01T10:00:00.000Z
gpt-9_32K,0.95,0.01,https://logs.epoch.ai/2,,,2026-01-01T10:00:00.000Z
gpt-9_xhigh,0.5,,,,,
gpt-9_8B,0.5,,,,,
gpt-9_unknown,0.5,,,,,
_high,0.5,,,,,
`,
    apex_agents_external: `${header('Pass@1 score', 'Pass@1 Standard Error')}\ngpt-9,0.298,3.6,,\n`,
    balrog_external: `${header('Average progress', 'Average Standard error')}\ngpt-9,0.4,0.02,,\n`,
    webdev_arena_external: `${header('Arena Score', 'Votes', 'Source link (site from table)')}\ngpt-9,1400,6417,https://web.lmarena.ai,,\n`,
    gsm8k_external: `${header('EM', 'Shots', linked)}
claude-9,0.9,8,https://www-cdn.anthropic.com/card.pdf,,Anthropic
gpt-9,0.9,8,https://www.anthropic.com/news,,OpenAI
x-9,0.9,8,https://x.com/1,,xAI
a-9,0.9,8,see https://a.com,,A
`,
    piqa_external: `${header('Score', 'Source Link')}\ngpt-9,0.9,https://arxiv.org/abs/1,,\n`,
  });
}

test("a score's other fields come from the row that counts, with the error on the score's own scale", async () => {
  const recorded = await useRecipe('epoch');
  await recorded.publish(DAY, detailedFiles());
  const fields = ['benchmark_id', 'model_id', 'value', 'stderr', 'n', 'variant', 'reported_by', 'source_url'];
  const scores = await recorded.table('scores', fields);
  const detailsOf = (benchmark: string) =>
    scores.filter(([id]) => id === `epoch/${benchmark}`).map(([, ...details]) => details);
  const [none, other] = [null, 'third_party'];
  expect(detailsOf('gpqa_diamond')).toEqual([
    ['_high', 0.5, none, none, none, 'evaluator', none],
    ['gpt-9_32K', 0.91, 0.020034, none, '32K', 'evaluator', 'https://logs.epoch.ai/1'],
    ['gpt-9_8B', 0.5, none, none, none, 'evaluator', none],
    ['gpt-9_unknown', 0.5, none, none, none, 'evaluator', none],
    ['gpt-9_xhigh', 0.5, none, none, 'xhigh', 'evaluator', none],
  ]);
  expect(detailsOf('apex_agents')).toEqual([['gpt-9', 0.298, 0.036, none, none, other, none]]);
  expect(detailsOf('balrog')).toEqual([['gpt-9', 0.4, 0.02, none, none, other, none]]);
  expect(detailsOf('webdev_arena')).toEqual([['gpt-9', 1400, none, 6417, none, other, 'https://web.lmarena.ai']]);
  expect(detailsOf('piqa')).toEqual([['gpt-9', 0.9, none, none, none, other, 'https://arxiv.org/abs/1']]);
  expect(detailsOf('epoch_capabilities_index')).toEqual([['gpt-9_high', 154.2, none, none, 'high', 'evaluator', none]]);
  // Neither another maker's site, nor a site with a name of one letter, nor an address within a text.
  expect(detailsOf('gsm8k')).toEqual([
    ['a-9', 0.9, none, none, none, other, none],
    ['claude-9', 0.9, none, none, none, 'maker', 'https://www-cdn.anthropic.com/card.pdf'],
    ['gpt-9', 0.9, none, none, none, other, 'https://www.anthropic.com/news'],
    ['x-9', 0.9, none, none, none, other, 'https://x.com/1'],
  ]);
});

test('the index says whose weights are open; a day without that column says it of none', async () => {
  const recorded = await useRecipe('epoch');
  const index = `Model version,ECI Score,Release date,Organization,Display name,Model accessibility
open,1,,,,Open weights (restricted use)
closed,1,,,,API access
unknown,1,,,,
`;
  await recorded.publish(DAY, { ...filesWith('EM'), 'epoch/epoch_capabilities_index.csv': index });
  expect(await recorded.table('models', ['id', 'open_weights'], (id) => /^(open|closed|unknown)$/.test(id))).toEqual([
    ['closed', false],
    ['open', true],
    ['unknown', null],
  ]);
  expect(await recipe.records('models', ['open_weights'], (id) => id === 'gpt-9')).toEqual([{ open_weights: null }]);
});
