import { expect, test } from 'vitest';
import { useRecipe } from '../support/sources/use-recipe.ts';

const DAY = '2026-05-28';
const CATEGORIES = { Coding: ['completion', 'generation'], 'Data Analysis': ['tables'] };

/** A release's two files; lines end as on the site. */
function files(lines: readonly string[], end = '\n'): Record<string, unknown> {
  const table = ['model,completion,generation,tables', ...lines].map((line) => line + end).join('');
  return { 'livebench/table.csv': table, 'livebench/categories.json': CATEGORIES };
}

test("a category's score is the mean of its tasks, the overall score the mean of the categories", async () => {
  const recipe = await useRecipe('livebench');
  await recipe.publish(DAY, files(['a-high-effort,61.0,60.9,6.5', 'b,0.1,0.2,100'], '\r\n'));
  expect(await recipe.table('scores', ['model_id', 'benchmark_id', 'value', 'source'])).toEqual([
    ['a-high-effort', 'livebench/coding', 60.95, 'livebench'],
    ['a-high-effort', 'livebench/data-analysis', 6.5, 'livebench'],
    ['a-high-effort', 'livebench/overall', 33.725, 'livebench'],
    ['b', 'livebench/coding', 0.15, 'livebench'],
    ['b', 'livebench/data-analysis', 100, 'livebench'],
    ['b', 'livebench/overall', 50.075, 'livebench'],
  ]);
  expect(await recipe.records('benchmarks')).toEqual([
    { id: 'livebench/coding', name: 'LiveBench: Coding', category: 'coding', model_count: 2 },
    { id: 'livebench/data-analysis', name: 'LiveBench: Data Analysis', category: 'data analysis', model_count: 2 },
    { id: 'livebench/overall', name: 'LiveBench', category: 'overall', model_count: 2 },
  ]);
  expect(await recipe.table('models', ['id', 'name'])).toEqual([
    ['a-high-effort', 'a-high-effort'],
    ['b', 'b'],
  ]);
});

test('of a line that is too short no score is believed, those in force stay, and other lines lose nothing', async () => {
  const recipe = await useRecipe('livebench');
  await recipe.publish('2026-05-27', files(['a,10,20,30', 'b,1,2,3', 'd,4,4,4']));
  const night = await recipe.publish(DAY, files(['a,99,20', 'b,3,2,3', 'c,5', 'd,4,4,4']));
  expect(night).toMatchObject({ quarantined: 6, events: { delete: 0 } });
  const overall = (await recipe.records('scores')).filter(({ benchmark_id }) => benchmark_id === 'livebench/overall');
  expect(overall.map(({ model_id, value }) => [model_id, value])).toEqual([
    ['a', 22.5],
    ['b', 2.75],
    ['d', 4],
  ]);
  expect((await recipe.records('models', ['id'])).map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd']);
});

test('a cell without a number makes its category and the overall score bad, and no other', async () => {
  const recipe = await useRecipe('livebench');
  expect(await recipe.publish(DAY, files(['a,10,,30', 'b,1,2,3']))).toMatchObject({ quarantined: 2 });
  const scores = await recipe.records('scores', ['model_id', 'benchmark_id']);
  expect(scores.filter(({ model_id }) => model_id === 'a')).toEqual([
    { model_id: 'a', benchmark_id: 'livebench/data-analysis' },
  ]);
});

test('a model that stands twice has the scores of its complete line, and of two the first in order', async () => {
  const recipe = await useRecipe('livebench');
  const lines = ['a,10,20', 'a,10,20,30', 'b,7,7,7', 'b,5,5,5'];
  expect(await recipe.publish(DAY, files(lines))).toMatchObject({ quarantined: 0 });
  const scores = await recipe.records('scores');
  const overall = scores.filter(({ benchmark_id }) => benchmark_id === 'livebench/overall');
  expect(overall.map(({ model_id, value }) => [model_id, value])).toEqual([
    ['a', 22.5],
    ['b', 5],
  ]);
});
