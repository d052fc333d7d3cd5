import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { RECIPES_FOLDER } from '../support/sources/recipe-folder.ts';
import { useRecipe } from '../support/sources/use-recipe.ts';

const DAY = '2026-07-13';

/** A row of a board, as upstream's Parquet has it. */
function row(model: string, rank: number, fields: object = {}): object {
  return {
    model_name: model,
    organization: 'acme',
    license: 'Proprietary',
    rating: 1500.1234567,
    rating_lower: 1490,
    rating_upper: 1510,
    variance: 25,
    vote_count: 100,
    rank,
    category: 'overall',
    leaderboard_publish_date: '2026-07-10',
    ...fields,
  };
}

/** A Parquet file of every board that the recipe reads; a row of its own on those that aren't given. */
function boards(given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const settings = JSON.parse(readFileSync(join(RECIPES_FOLDER, 'lmarena/source.json'), 'utf8'));
  const files = settings.fetch.map(({ file }: { readonly file: string }) => file);
  const others = Object.fromEntries(files.map((file: string) => [file, [row('other', 1)]]));
  return {
    ...others,
    ...Object.fromEntries(Object.entries(given).map(([name, rows]) => [`lmarena/${name}.parquet`, rows])),
  };
}

test('a category is that of its board, and a rating is mu with its deviation as sigma', async () => {
  const recipe = await useRecipe('lmarena');
  const text = [row('a (max)', 1), row('b', 2, { variance: null }), row('a (max)', 1, { category: 'spanish' })];
  await recipe.publish(DAY, boards({ text, webdev: [row('b', 1, { rating: 1400, variance: 3 })] }));
  const ranks = (await recipe.records('rankings')).filter(({ model_id }) => model_id !== 'other');
  expect(ranks).toEqual([
    { model_id: 'a (max)', category: 'text/overall', rank: 1, trueskill_mu: 1500.123457, trueskill_sigma: 5 },
    { model_id: 'a (max)', category: 'text/spanish', rank: 1, trueskill_mu: 1500.123457, trueskill_sigma: 5 },
    { model_id: 'b', category: 'text/overall', rank: 2, trueskill_mu: 1500.123457, trueskill_sigma: null },
    { model_id: 'b', category: 'webdev/overall', rank: 1, trueskill_mu: 1400, trueskill_sigma: 1.732051 },
  ]);
});

test('a rank may be a floating number on one board and whole on the others', async () => {
  const recipe = await useRecipe('lmarena');
  const floating = JSON.stringify([row('a', 7, { vote_count: 12 })]).replace('"rank":7', '"rank":7.0');
  await recipe.publish(DAY, boards({ text: floating }));
  expect((await recipe.records('rankings', ['model_id', 'rank']))[0]).toEqual({ model_id: 'a', rank: 7 });
});

test('of a name that stands twice in a category the better rank is taken, and nothing else is lost', async () => {
  const recipe = await useRecipe('lmarena');
  const twice = [row('codex', 3, { vote_count: 10 }), row('codex', 2, { vote_count: 5 }), row('a', 1)];
  expect(await recipe.publish(DAY, boards({ webdev: twice }))).toMatchObject({ quarantined: 0 });
  const ranks = (await recipe.records('rankings', ['model_id', 'category', 'rank'])).slice(0, 2);
  expect(ranks).toEqual([
    { model_id: 'a', category: 'webdev/overall', rank: 1 },
    { model_id: 'codex', category: 'webdev/overall', rank: 2 },
  ]);
});

test('a model is a row whatever the boards it stands on, and an empty organization is none', async () => {
  const recipe = await useRecipe('lmarena');
  const text = [row('a', 1, { organization: '' }), row('b', 2, { organization: '' })];
  await recipe.publish(DAY, boards({ text, vision: [row('a', 1)] }));
  expect(await recipe.records('models')).toEqual(
    [
      { id: 'a', name: 'a', organization: 'acme' },
      { id: 'b', name: 'b', organization: null },
      { id: 'other', name: 'other', organization: 'acme' },
    ].map((expected) => ({
      ...expected,
      release_date: null,
      context_length: null,
      inference: null,
      source: 'lmarena',
    })),
  );
});

test('a day without one of the boards captures nothing, rather than dropping its rankings', async () => {
  const recipe = await useRecipe('lmarena');
  await recipe.publish('2026-07-12', boards({}));
  const { 'lmarena/search.parquet': missing, ...rest } = boards({});
  const night = await recipe.nightOf(DAY, rest);
  expect(night).toMatchObject({
    status: 'rejected',
    problems: [
      'lmarena/search.parquet is not there, and source.sql reads it',
      expect.stringMatching(/: nothing could be captured$/),
    ],
  });
});
