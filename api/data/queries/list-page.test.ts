import { afterEach, describe, expect, test, vi } from 'vitest';
import { getList, pageList } from '../../../test/support/api/lists.ts';
import { useApi } from '../../../test/support/api/use-api.ts';
import { LISTED_DAY } from '../../../test/worlds/listed-day.ts';

const api = useApi({ days: (store) => store.publish('2026-06-01', LISTED_DAY), settings: { cacheBytes: 1 } });

/** The statements that a view runs from now on. */
function watchStatements(): readonly string[] {
  const statements: string[] = [];
  const view = api.follower.current();
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
      const records = await pageList(api, `/v1/scores?benchmark=code&${query}`);
      expect(records).toHaveLength(4);
    }
    expect(counts(statements)).toBe(1);
  });

  test('is counted once for requests at the same time', async () => {
    const statements = watchStatements();
    const lists = await Promise.all([1, 2, 3].map((limit) => getList(api, `/v1/models?organization=x&limit=${limit}`)));
    expect(lists.map(({ total }) => total)).toEqual([2, 2, 2]);
    expect(counts(statements)).toBe(1);
  });

  test('is counted again after it could not be', async () => {
    const { totals } = api.follower.current();
    const count = vi.fn(async () => 7);
    count.mockRejectedValueOnce(new Error('too slow'));
    await expect(totals.get('filters', count)).rejects.toThrow('too slow');
    expect(await totals.get('filters', count)).toBe(7);
    expect(await totals.get('filters', count)).toBe(7);
    expect(count).toHaveBeenCalledTimes(2);
  });

  test('is that of the view it was counted in', async () => {
    expect(await getList(api, '/v1/benchmarks?category=coding')).toMatchObject({ total: 1 });
    const { benchmarks = [] } = LISTED_DAY;
    await api.store.publish('2026-06-02', {
      ...LISTED_DAY,
      benchmarks: [...benchmarks, { id: 'more', name: 'More', category: 'coding' }],
    });
    await api.follower.refresh();
    expect(await getList(api, '/v1/benchmarks?category=coding')).toMatchObject({ total: 2 });
  });
});

test('a page is found by columns alone, and the lines of no other records are read', async () => {
  const statements = watchStatements();
  await getList(api, '/v1/scores?min_value=0.25&sort=-value&limit=2');
  expect(statements.filter((sql) => sql.includes('line'))).toEqual([]);
  expect(statements.filter((sql) => sql.includes('scores_by_value_down'))).toHaveLength(1);
});
