import { describe, expect, test } from 'vitest';
import { getList, pageList } from '../../../test/support/api/lists.ts';
import { openApi } from '../../../test/support/api/open-api.ts';
import { useApi } from '../../../test/support/api/use-api.ts';
import { LISTED_DAY } from '../../../test/worlds/listed-day.ts';

const api = useApi({ days: (store) => store.publish('2026-06-01', LISTED_DAY) });

async function ids(query: string): Promise<readonly unknown[]> {
  return (await getList(api, `/v1/models?${query}`)).records.map(({ id }) => id);
}

const SORTED: Readonly<Record<string, readonly string[]>> = {
  id: ['B', 'a', 'b', 'c/1', 'd', 'é'],
  '-id': ['é', 'd', 'c/1', 'b', 'a', 'B'],
  name: ['c/1', 'B', 'a', 'b', 'd', 'é'],
  '-name': ['é', 'd', 'b', 'B', 'a', 'c/1'],
  release_date: ['é', 'B', 'a', 'b', 'c/1', 'd'],
  '-release_date': ['a', 'b', 'B', 'é', 'c/1', 'd'],
  context_length: ['c/1', 'B', 'b', 'd', 'a', 'é'],
  '-context_length': ['d', 'B', 'b', 'c/1', 'a', 'é'],
  updated_at: ['B', 'a', 'b', 'c/1', 'd', 'é'],
  '-updated_at': ['é', 'd', 'c/1', 'a', 'b', 'B'],
};

describe.each(Object.entries(SORTED))('sorted by %s', (sort, expected) => {
  test('records come in that order, equal ones by id, those without a value last', async () => {
    expect(await ids(`sort=${sort}`)).toEqual(expected);
  });

  test.each([1, 2, 4])('pages of %d neither skip nor repeat', async (limit) => {
    expect((await pageList(api, `/v1/models?sort=${sort}&limit=${limit}`)).map(({ id }) => id)).toEqual(expected);
  });
});

test.each([
  ['q=ZUL', ['B', 'a']],
  ['q=b', ['B', 'b', 'c/1']],
  ['q=%25', ['c/1']],
  ['q=_', []],
  ['q=%22BEST%22', ['c/1']],
  ['q=%C3%A5ngstr%C3%B6m', ['d']],
  ['q=%00', []],
  ["q='%20OR%201=1%20--", []],
  ['organization=x', ['B', 'a']],
  ['organization=nobody', []],
  ['provider=p1', ['a', 'c/1']],
  ['min_context=8000', ['B', 'b', 'd']],
  ['min_context=0', ['B', 'b', 'c/1', 'd']],
  ['released_after=2026-02-01', ['a', 'b']],
  ['released_before=2026-01-01', ['B', 'é']],
  ['released_after=2026-01-01&released_before=2026-01-31', ['B']],
  ['max_input_price=1', ['a', 'b']],
  ['max_input_price=0', ['b']],
  ['max_output_price=3', ['B', 'a']],
  ['max_input_price=1&max_output_price=3', []],
  ['max_input_price=5&max_output_price=2', ['a']],
  ['organization=x&provider=p2&q=zulu', ['a']],
  ['unknown=parameter', ['B', 'a', 'b', 'c/1', 'd', 'é']],
])('filtered by %s', async (query, expected) => {
  const { records, total, next_cursor: cursor } = await getList(api, `/v1/models?${query}`);
  expect(records.map(({ id }) => id)).toEqual(expected);
  expect({ total, cursor }).toEqual({ total: expected.length, cursor: null });
});

test('total counts what meets the filters on all pages, and the last page has no cursor', async () => {
  const first = await getList(api, '/v1/models?organization=x&limit=1');
  expect(first).toMatchObject({ total: 2, next_cursor: expect.any(String) });
  const second = await getList(api, `/v1/models?organization=x&limit=1&cursor=${first.next_cursor}`);
  expect(second).toMatchObject({ total: 2, next_cursor: null });
  expect((await getList(api, '/v1/models?limit=6')).next_cursor).toBeNull();
});

test('a cursor goes with its filters and its order only, with any page size', async () => {
  const { next_cursor: cursor } = await getList(api, '/v1/models?organization=x&limit=1');
  expect(await ids(`organization=x&limit=50&sort=id&cursor=${cursor}`)).toEqual(['a']);
  for (const query of ['', 'organization=y', 'organization=x&sort=name', 'organization=x&q=z']) {
    const response = await api.get(`/v1/models?${query}&cursor=${cursor}`);
    expect(response.statusCode, query).toBe(422);
    expect(response.json()).toMatchObject({ detail: [{ loc: ['query', 'cursor'], type: 'cursor_invalid' }] });
  }
});

test('text that is no cursor is 422, whatever it decodes to', async () => {
  const { next_cursor: cursor } = await getList(api, '/v1/models?limit=1');
  const hash = Buffer.from(cursor ?? '', 'base64url')
    .toString('utf8')
    .slice(0, 8);
  const made = (text: string) => Buffer.from(hash + text).toString('base64url');
  for (const bad of ['x', made(''), made('['), made('null'), made('[]'), made('[1]'), made('["a","b"]'), made('{}')]) {
    expect((await api.get(`/v1/models?cursor=${bad}`)).statusCode, bad).toBe(422);
  }
});

test('a record has the fields of the snapshot, in their order', async () => {
  const { records } = await getList(api, '/v1/models?q=c/1');
  expect(JSON.stringify(records)).toBe(
    '[{"id":"c/1","name":"100% \\"best\\"","organization":"X","release_date":null,"context_length":0,' +
      '"inference":["p1"],"updated_at":"2026-05-03T00:00:00Z"}]',
  );
  const [largest] = (await getList(api, '/v1/models?q=Ångström')).records;
  expect(largest).toMatchObject({ context_length: Number.MAX_SAFE_INTEGER });
});

test('ids of 200 characters and names of thousands are found, and paged through', async () => {
  const longIds = ['1', '2', '3'].map((digit) => '😀'.repeat(199) + digit);
  const models = longIds.map((id) => ({ id, name: '"'.repeat(10_000) + id }));
  const its = await openApi({ days: (store) => store.publish('2026-06-01', { models }) });
  for (const sort of ['id', 'name', '-updated_at']) {
    expect((await pageList(its, `/v1/models?sort=${sort}&limit=1`)).map(({ id }) => id)).toEqual(longIds);
  }
  expect(await its.json(`/v1/models/${encodeURIComponent(longIds[1] ?? '')}`)).toMatchObject({ id: longIds[1] });
  expect((await its.get(`/v1/models/${encodeURIComponent(`${longIds[1]}x`)}`)).statusCode).toBe(422);
  await its.close();
});

test('the detail is the record with its scores, rankings and prices', async () => {
  const { scores, rankings, pricing, aliases: _, ...record } = await api.json('/v1/models/d');
  expect([record]).toEqual((await getList(api, '/v1/models?q=ngstr')).records);
  expect(scores).toMatchObject([
    { benchmark_id: 'Code', value: 1e300 },
    { benchmark_id: 'code', value: 0.3 },
  ]);
  expect(rankings).toMatchObject([{ category: 'code', rank: 1 }, { category: 'general' }]);
  expect(pricing).toEqual([]);
  expect(await api.json('/v1/models/c%2F1')).toMatchObject({ id: 'c/1' });
});

test('a model that is not there is 404 with its parameter, also in another case', async () => {
  for (const id of ['D', 'c', 'nobody', '%00']) {
    const response = await api.get(`/v1/models/${id}`);
    expect(response.statusCode, id).toBe(404);
    expect(response.json().error).toMatchObject({ code: 'not_found', param: 'id' });
  }
});
