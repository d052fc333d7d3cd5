import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { RECIPES_FOLDER } from '../support/sources/recipe-folder.ts';
import { publishedRecipe } from '../support/sources/use-recipe.ts';

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
  const own = Object.entries(given).map(([name, rows]) => [`lmarena/${name}.parquet`, rows]);
  return { ...others, ...Object.fromEntries(own) };
}

const FLOATING = JSON.stringify([row('floating', 7, { vote_count: 12 })]).replace('"rank":7', '"rank":7.0');
const FLOATING_BOARD = Object.keys(boards({})).find((path) => !/text|webdev|vision|search/.test(path)) ?? '';

const recipe = publishedRecipe('lmarena', async () => {
  const text = [
    row('a (max)', 1),
    row('b', 2, { variance: null }),
    row('a (max)', 1, { category: 'spanish' }),
    row('c', 3, { organization: '' }),
    row('d', 4, { organization: '' }),
  ];
  const webdev = [
    row('b', 1, { rating: 1400, variance: 3 }),
    row('codex', 3, { vote_count: 10 }),
    row('codex', 2, { vote_count: 5 }),
  ];
  const given = { ...boards({ text, webdev, vision: [row('c', 1)] }), [FLOATING_BOARD]: FLOATING };
  expect(await recipe.publish(DAY, given)).toMatchObject({ quarantined: 0 });
});

test('a category is that of its board, and a rating is mu with its deviation as sigma', async () => {
  expect(await recipe.records('rankings', undefined, (id) => ['a (max)', 'b'].includes(id))).toEqual([
    { model_id: 'a (max)', category: 'text/overall', rank: 1, trueskill_mu: 1500.123457, trueskill_sigma: 5 },
    { model_id: 'a (max)', category: 'text/spanish', rank: 1, trueskill_mu: 1500.123457, trueskill_sigma: 5 },
    { model_id: 'b', category: 'text/overall', rank: 2, trueskill_mu: 1500.123457, trueskill_sigma: null },
    { model_id: 'b', category: 'webdev/overall', rank: 1, trueskill_mu: 1400, trueskill_sigma: 1.732051 },
  ]);
});

test('a rank may be a floating number on one board and whole on the others', async () => {
  expect(await recipe.table('rankings', ['rank'], (id) => id === 'floating')).toEqual([[7]]);
});

test('of a name that stands twice in a category the better rank is taken, and nothing else is lost', async () => {
  expect(await recipe.table('rankings', ['category', 'rank'], (id) => id === 'codex')).toEqual([['webdev/overall', 2]]);
});

test('a model is a row whatever the boards it stands on, and an empty organization is none', async () => {
  const fields = ['id', 'name', 'organization', 'release_date', 'context_length', 'inference', 'source'];
  expect(await recipe.table('models', fields, (id) => ['c', 'd', 'other'].includes(id))).toEqual([
    ['c', 'c', 'acme', null, null, null, 'lmarena'],
    ['d', 'd', null, null, null, null, 'lmarena'],
    ['other', 'other', 'acme', null, null, null, 'lmarena'],
  ]);
});

test('a day without one of the boards captures nothing, rather than dropping its rankings', async () => {
  const { 'lmarena/search.parquet': missing, ...rest } = boards({});
  const night = await recipe.nightOf('2026-07-14', rest);
  const why = 'source.sql reads lmarena/search.parquet, which does not exist';
  const problems = [why, expect.stringMatching(/: nothing could be captured$/)];
  expect(night).toMatchObject({ status: 'rejected', problems });
});
