/** The tools that put answers together. */
import { describe, expect, test } from 'vitest';
import { ERAS } from '../support/mcp/clients.ts';
import { useMcp } from '../support/mcp/use-mcp.ts';

const mcp = useMcp();

describe.each(ERAS)('a client of the %s era', (era) => {
  test('compares models as their routes have them, for one unit each', async () => {
    const { client, used } = await mcp.connect({ era });
    const { text, data, isError } = await client.call('compare-models', { ids: ['aurora-2', 'Aurora-2'] });
    expect(isError, text).toBe(false);
    const [one, other] = [await mcp.api.json('/v1/models/aurora-2'), await mcp.api.json('/v1/models/Aurora-2')];
    expect(data).toEqual(comparisonOf([one, other]));
    expect(text).toContain('what | aurora-2 | Aurora-2');
    expect(await used()).toBe(2);
  });

  test('finds an id from what people write, for one unit, also where there is none', async () => {
    const { client, used } = await mcp.connect({ era });
    const { text, data } = await client.call('resolve-model', { name: 'northlight/AURORA 2' });
    const ids = (data['candidates'] as readonly { readonly model: { readonly id: string } }[]).map(
      ({ model }) => model.id,
    );
    // Both ids are that but for their case, so both are told.
    expect(ids.slice(0, 2)).toEqual(['Aurora-2', 'aurora-2']);
    expect(text).toContain('the id without the provider');
    expect(await client.call('resolve-model', { name: 'nobody at all' })).toMatchObject({
      isError: false,
      data: { candidates: [], total: 0 },
    });
    expect(await used()).toBe(2);
  });
});

type Rows = readonly Readonly<Record<string, unknown>>[];

/** What two answers of `/v1/models/{id}` say beside each other. */
function comparisonOf(models: Rows) {
  const rowsOf = (model: Rows[number] | undefined, field: string) => model?.[field] as Rows; // A list in every answer.
  const lowest = (model: Rows[number], price: string) => {
    const prices = rowsOf(model, 'pricing').flatMap((row) => (row[price] === null ? [] : [Number(row[price])]));
    return prices.length === 0 ? null : Math.min(...prices);
  };
  const idsOf = (model: Rows[number] | undefined, rows: string, id: string) =>
    rowsOf(model, rows).map((row) => String(row[id]));
  const foundIn = (model: Rows[number], rows: string, [id, name, value]: readonly [string, string, string]) =>
    rowsOf(model, rows).find((row) => row[id] === name)?.[value] ?? null;
  const [one, other] = models;
  const categories = new Set(models.flatMap((model) => idsOf(model, 'rankings', 'category')));
  const shared = idsOf(one, 'scores', 'benchmark_id').filter((id) =>
    idsOf(other, 'scores', 'benchmark_id').includes(id),
  );
  return {
    models: models.map((model) => ({
      id: model['id'],
      name: model['name'],
      organization: model['organization'],
      release_date: model['release_date'],
      context_length: model['context_length'],
      lowest_input_per_million: lowest(model, 'input_per_million'),
      lowest_output_per_million: lowest(model, 'output_per_million'),
      providers_with_price: rowsOf(model, 'pricing').length,
    })),
    rankings: [...categories].sort().map((category) => ({
      category,
      ranks: models.map((model) => foundIn(model, 'rankings', ['category', category, 'rank'])),
    })),
    scores: shared.sort().map((benchmark_id) => ({
      benchmark_id,
      values: models.map((model) => foundIn(model, 'scores', ['benchmark_id', benchmark_id, 'value'])),
    })),
  };
}

test('a comparison is whole or not at all: a model that is not there, or too little quota, costs nothing', async () => {
  const { client, used } = await mcp.connect({ units: 2 });
  expect(await client.call('compare-models', { ids: ['aurora-2', 'nobody'] })).toMatchObject({
    isError: true,
    data: { error: { code: 'not_found', param: 'ids', message: 'There is no model "nobody"' } },
  });
  expect(await client.call('compare-models', { ids: ['aurora-2', 'x'.repeat(300)] })).toMatchObject({
    isError: true,
    data: { detail: [{ loc: ['arguments', 'ids', 1] }] },
  });
  expect(await used()).toBe(0);
  expect(await client.call('compare-models', { ids: ['aurora-2', 'Aurora-2', 'aurora-2-mini'] })).toMatchObject({
    isError: true,
    data: { error: { code: 'quota_exceeded' } },
  });
  expect(await used()).toBe(0);
});

test.each([
  ['compare-models', { ids: ['aurora-2'] }],
  ['compare-models', { ids: ['aurora-2', 'aurora-2'] }],
  ['compare-models', { ids: 'aurora-2' }],
  ['compare-models', { ids: ['aurora-2', ''] }],
  ['compare-models', { ids: Array.from({ length: 11 }, (_, index) => `m${index}`) }],
  ['resolve-model', {}],
  ['resolve-model', { name: '' }],
  ['resolve-model', { name: '???' }],
  ['resolve-model', { name: 'x'.repeat(201) }],
])('%s refuses %o, and says what it takes', async (tool, args) => {
  const { client } = await mcp.connect();
  const { isError, text } = await client.call(tool, args);
  expect(isError).toBe(true);
  expect(text).toContain('Input should be');
  expect(text).toContain('"loc":["arguments"');
});

test('changes since a day are those after its snapshot, for one unit', async () => {
  const { client, used } = await mcp.connect();
  const { snapshots } = (await mcp.api.json('/v1/snapshots')) as { readonly snapshots: Rows };
  const before = snapshots.at(-1);
  const { text, data } = await client.call('get-changes', { since: before?.['id'], limit: 5 });
  expect(data, text).toEqual(await mcp.api.json(`/v1/changes?cursor=${before?.['change_cursor']}&limit=5`));
  expect(data['events']).not.toEqual([]);
  expect(await used()).toBe(1);
  const all = await client.call('get-changes');
  expect(all.data).toEqual(await mcp.api.json('/v1/changes?limit=100'));
});

test.each([
  ['yesterday', 'a day YYYY-MM-DD'],
  ['2000-01-01', 'which is the oldest snapshot'],
])('changes since %s are refused, at no cost', async (since, words) => {
  const { client, used } = await mcp.connect();
  const { isError, text } = await client.call('get-changes', { since });
  expect([isError, text]).toEqual([true, expect.stringContaining(words)]);
  expect(await client.call('get-changes', { since: '2026-06-02', cursor: 'MA' })).toMatchObject({ isError: true });
  expect(await used()).toBe(0);
});

test('a ranking of a category that never was names those that are ranked, and costs nothing', async () => {
  const { client, used } = await mcp.connect();
  const { isError, data } = await client.call('get-rankings', { category: 'none' });
  const { error } = data as { readonly error: Readonly<Record<string, unknown>> };
  expect([isError, error['code'], error['param']]).toEqual([true, 'not_found', 'category']);
  expect(error['message']).toMatch(/^There is no such category\. Ranked categories are .*\bgeneral\b/);
  expect(await used()).toBe(0);
});
