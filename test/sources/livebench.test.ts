import { expect, test } from 'vitest';
import { publishedRecipe, type Recipe } from '../support/sources/use-recipe.ts';

const CATEGORIES = { Coding: ['completion', 'generation'], 'Data Analysis': ['tables'] };

/** A release's two files; lines end as on the site. */
function files(lines: readonly string[], end = '\n'): Record<string, unknown> {
  const table = ['model,completion,generation,tables', ...lines].map((line) => line + end).join('');
  return { 'livebench/table.csv': table, 'livebench/categories.json': CATEGORIES };
}

let second: Awaited<ReturnType<Recipe['publish']>>;
const recipe = publishedRecipe('livebench', async () => {
  const every = ['a-high-effort,61.0,60.9,6.5', 'z,0.1,0.2,100'];
  await recipe.publish('2026-05-27', files([...every, 'a,10,20,30', 'b,1,2,3', 'd,4,4,4'], '\r\n'));
  const [short, empty] = [['a,99,20', 'b,3,2,3', 'c,5', 'd,4,4,4'], 'empty,10,,30'];
  const twice = ['twice,10,20', 'twice,10,20,30', 'two,7,7,7', 'two,5,5,5'];
  second = await recipe.publish('2026-05-28', files([...every, ...short, empty, ...twice]));
});

const isOf =
  (...ids: readonly string[]) =>
  (id: string) =>
    ids.includes(id);

async function overallOf(...ids: readonly string[]) {
  const scores = await recipe.table('scores', ['model_id', 'benchmark_id', 'value'], isOf(...ids));
  return scores.filter(([, benchmark]) => benchmark === 'livebench/overall').map(([model, , value]) => [model, value]);
}

test("a category's score is the mean of its tasks, the overall score the mean of the categories", async () => {
  const fields = ['model_id', 'benchmark_id', 'value', 'source'];
  expect(await recipe.table('scores', fields, isOf('a-high-effort', 'z'))).toEqual([
    ['a-high-effort', 'livebench/coding', 60.95, 'livebench'],
    ['a-high-effort', 'livebench/data-analysis', 6.5, 'livebench'],
    ['a-high-effort', 'livebench/overall', 33.725, 'livebench'],
    ['z', 'livebench/coding', 0.15, 'livebench'],
    ['z', 'livebench/data-analysis', 100, 'livebench'],
    ['z', 'livebench/overall', 50.075, 'livebench'],
  ]);
  expect(await recipe.table('benchmarks', ['id', 'name', 'category'])).toEqual([
    ['livebench/coding', 'LiveBench: Coding', 'coding'],
    ['livebench/data-analysis', 'LiveBench: Data Analysis', 'data analysis'],
    ['livebench/overall', 'LiveBench', 'overall'],
  ]);
  expect(await recipe.table('models', ['id', 'name'], isOf('a-high-effort'))).toEqual([
    ['a-high-effort', 'a-high-effort'],
  ]);
});

test('of a line that is too short no score is believed, those in force stay, and other lines lose nothing', async () => {
  // Three of each short line, and two of the one with an empty cell.
  expect(second).toMatchObject({ quarantined: 3 + 3 + 2, events: { delete: 0 } });
  expect(await overallOf('a', 'b', 'c', 'd')).toEqual([
    ['a', 22.5],
    ['b', 2.75],
    ['d', 4],
  ]);
  expect(await recipe.records('models', ['id'], isOf('c'))).toEqual([{ id: 'c' }]);
});

test('a cell without a number makes its category and the overall score bad, and no other', async () => {
  expect(await recipe.records('scores', ['benchmark_id'], isOf('empty'))).toEqual([
    { benchmark_id: 'livebench/data-analysis' },
  ]);
});

test('a model that stands twice has the scores of its complete line, and of two the first in order', async () => {
  expect(await overallOf('twice', 'two')).toEqual([
    ['twice', 22.5],
    ['two', 5],
  ]);
});

test('LiveBench reports its scores itself', async () => {
  const fields = ['model_id', 'benchmark_id', 'reported_by', 'source_url'];
  const [[, ...score] = []] = await recipe.table('scores', fields, isOf('a-high-effort'));
  expect(score).toEqual(['livebench/coding', 'evaluator', 'https://livebench.ai']);
});
