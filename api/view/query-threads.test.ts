import { expect, test } from 'vitest';
import { useViewFiles } from '../../test/support/api/view-file.ts';
import { QueryThreads } from './query-threads.ts';

const openView = useViewFiles();

/** Counts to a number, in a time of its size. */
const COUNT = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) SELECT count(*) AS n FROM n';

async function threadsOf(limits: { queriesMax?: number; queriesWaitingMax?: number; queryTimeoutMs?: number }) {
  const { path } = await openView(() => {});
  return new QueryThreads(path, { queriesMax: 1, queriesWaitingMax: 100, queryTimeoutMs: 20_000, ...limits });
}

test('a thread answers one query after another, and goes on after one that fails', async () => {
  const threads = await threadsOf({});
  for (const n of [1, 2, 3]) expect(await threads.rows({ sql: 'SELECT ? AS n', values: [n] })).toEqual([{ n }]);
  await expect(threads.rows({ sql: 'SELECT nothing', values: [] })).rejects.toMatchObject({ code: 'SQLITE_ERROR' });
  expect(await threads.rows({ sql: 'SELECT 4 AS n', values: [] })).toEqual([{ n: 4 }]);
  await threads.close();
});

test('more queries than threads wait, and each gets its own rows', async () => {
  const threads = await threadsOf({ queriesMax: 2 });
  const numbers = Array.from({ length: 20 }, (_, at) => at + 1);
  const found = await Promise.all(numbers.map((n) => threads.rows({ sql: COUNT, values: [n * 100] })));
  expect(found).toEqual(numbers.map((n) => [{ n: n * 100 }]));
  await threads.close();
});

test('a query that takes too long is refused in time, and the next one starts when it has ended', async () => {
  const threads = await threadsOf({ queryTimeoutMs: 1500 });
  await threads.rows({ sql: 'SELECT 1', values: [] });
  const ended: string[] = [];
  const long = threads.rows({ sql: COUNT, values: [4e7] }).catch((error) => ended.push(error.code));
  const next = threads.rows({ sql: 'SELECT 1 AS n', values: [] }).then(() => ended.push('next'));
  await long;
  const refusedAt = performance.now();
  expect(ended).toEqual(['unavailable']);
  await next;
  expect(performance.now() - refusedAt).toBeGreaterThan(100);
  await threads.close();
});

test('queries beyond those that may wait are refused at once', async () => {
  const threads = await threadsOf({ queriesWaitingMax: 2 });
  const accepted = [1, 2, 3].map((n) => threads.rows({ sql: 'SELECT ? AS n', values: [n] }));
  await expect(async () => threads.rows({ sql: 'SELECT 4', values: [] })).rejects.toMatchObject({
    code: 'unavailable',
  });
  expect(await Promise.all(accepted)).toEqual([[{ n: 1 }], [{ n: 2 }], [{ n: 3 }]]);
  await threads.close();
});
