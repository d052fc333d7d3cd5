import { afterEach, describe, expect, test, vi } from 'vitest';
import { getList, pageList } from '../../../test/support/api/lists.ts';
import { openOwnApi, useApi } from '../../../test/support/api/use-api.ts';
import { LISTED_DAY } from '../../../test/worlds/listed-day.ts';

const api = useApi({ days: (store) => store.publish('2026-06-01', LISTED_DAY) });

test.each([
  ['q=ZUL', ['B', 'a']],
  ['q=b', ['B', 'b', 'c/1']],
  ['q=%25', ['c/1']],
  ['q=%22BEST%22', ['c/1']],
  ['q=%C3%A5ngstr%C3%B6m', ['d']],
  ['q=%00', []],
  ["q='%20OR%201=1%20--", []],
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

test('ids of 200 characters and names of thousands are found, and paged through', async () => {
  const longIds = ['1', '2', '3'].map((digit) => '😀'.repeat(199) + digit);
  const models = longIds.map((id) => ({ id, name: '"'.repeat(10_000) + id }));
  const its = await openOwnApi({ days: (store) => store.publish('2026-06-01', { models }) });
  for (const sort of ['id', 'name', '-updated_at']) {
    expect((await pageList(its, `/v1/models?sort=${sort}&limit=1`)).map(({ id }) => id)).toEqual(longIds);
  }
  expect(await its.json(`/v1/models/${encodeURIComponent(longIds[1] ?? '')}`)).toMatchObject({ id: longIds[1] });
  expect((await its.get(`/v1/models/${encodeURIComponent(`${longIds[1]}x`)}`)).statusCode).toBe(422);
});

test('a model that is not there is 404 with its parameter, also in another case', async () => {
  for (const id of ['D', 'c', 'nobody', '%00']) {
    const response = await api.get(`/v1/models/${id}`);
    expect(response.statusCode, id).toBe(404);
    expect(response.json().error).toMatchObject({ code: 'not_found', param: 'id' });
  }
});

describe('scores that DuckDB prints as other numbers', () => {
  const values = [2 ** 805, 2 ** 91, 2 ** 81, 1];
  const odd = useApi({
    days: (store) =>
      store.publish('2026-06-01', {
        ...LISTED_DAY,
        benchmarks: values.map((_, n) => ({ id: `b${n}`, name: `B${n}`, updated_at: '2026-06-01T00:00:00Z' })),
        // As texts, in full: with an exponent DuckDB reads them as other numbers, too.
        scores: values.map((value, n) => ({ model_id: 'a', benchmark_id: `b${n}`, value: String(BigInt(value)) })),
      }),
  });

  test('are each on one page, whatever the pages begin behind', async () => {
    const scores = await pageList(odd, '/v1/scores?sort=-value&limit=1');
    expect(scores.map(({ value }) => value)).toEqual(values);
  });
});

const uncached = useApi({ days: (store) => store.publish('2026-06-01', LISTED_DAY), settings: { cacheBytes: 1 } });

/** The statements that a view runs from now on. */
function watchStatements(): readonly string[] {
  const statements: string[] = [];
  const view = uncached.follower.current();
  const { rows } = view;
  vi.spyOn(view, 'rows').mockImplementation((shape, sql, values) => {
    statements.push(sql);
    return rows.call(view, shape, sql, values);
  });
  return statements;
}
afterEach(() => void vi.restoreAllMocks());

function counts(statements: readonly string[]): number {
  return statements.filter((sql) => sql.includes('count(*)')).length;
}

describe('the total of a list', () => {
  test('is counted once for all pages, page sizes and orders of the same filters', async () => {
    const statements = watchStatements();
    for (const query of ['limit=1', 'limit=2&sort=-value', 'limit=500&sort=-measured_at']) {
      const records = await pageList(uncached, `/v1/scores?benchmark=code&${query}`);
      expect(records).toHaveLength(4);
    }
    expect(counts(statements)).toBe(1);
  });

  test('is counted anew where it could not be, and once for requests at the same time', async () => {
    const { totals } = uncached.follower.current();
    const count = vi.fn(async () => 7);
    count.mockRejectedValueOnce(new Error('too slow'));
    await expect(totals.get('filters', count)).rejects.toThrow('too slow');
    expect(await Promise.all([totals.get('filters', count), totals.get('filters', count)])).toEqual([7, 7]);
    expect(count).toHaveBeenCalledTimes(2);
  });

  test('is that of the view it was counted in', async () => {
    expect(await getList(uncached, '/v1/benchmarks?category=coding')).toMatchObject({ total: 1 });
    const { benchmarks = [] } = LISTED_DAY;
    await uncached.store.publish('2026-06-02', {
      ...LISTED_DAY,
      benchmarks: [...benchmarks, { id: 'more', name: 'More', category: 'coding' }],
    });
    await uncached.follower.refresh();
    expect(await getList(uncached, '/v1/benchmarks?category=coding')).toMatchObject({ total: 2 });
  });
});

test('a page is found by columns alone, and the lines of no other records are read', async () => {
  const statements = watchStatements();
  await getList(uncached, '/v1/scores?min_value=0.25&sort=-value&limit=2');
  expect(statements.filter((sql) => sql.includes('line'))).toEqual([]);
  expect(statements.filter((sql) => sql.includes('scores_by_value_down'))).toHaveLength(1);
});
