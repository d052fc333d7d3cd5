import { rm } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import SqliteDatabase from 'better-sqlite3';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { useFolder } from '../../test/support/temporary-folder.ts';
import { QueryThreads } from './query-threads.ts';

const place = useFolder();
let path: string;
let threads: QueryThreads;

beforeAll(() => {
  path = place('view.sqlite');
  const database = new SqliteDatabase(path);
  database.exec('CREATE TABLE numbers (n INTEGER); INSERT INTO numbers VALUES (1), (2), (3)');
  database.close();
});
afterEach(() => threads.close());

function openThreads(limits: { queriesMax?: number; queriesWaitingMax?: number; queryTimeoutMs?: number }) {
  threads = new QueryThreads(path, { queriesMax: 1, queriesWaitingMax: 10, queryTimeoutMs: 20_000, ...limits });
  return threads;
}

/** Counts up to a number in one step of SQLite, which nothing interrupts: a million takes some tenth of a second. */
const counting = (to: number) => ({
  sql: 'WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < ?) SELECT count(*) AS n FROM r',
  values: [to],
});
const query = (n: number) => ({ sql: 'SELECT ? AS n', values: [n] });

test('a query has its values bound and gives rows by column', async () => {
  const { rows } = bound(openThreads({}));
  expect(
    await rows({ sql: 'SELECT n, ? AS text, ? AS none FROM numbers WHERE n > ?', values: ['x', null, 1] }),
  ).toEqual([
    { n: 2, text: 'x', none: null },
    { n: 3, text: 'x', none: null },
  ]);
});

test('a query that takes too long is refused in time, and later ones are answered', async () => {
  const { rows } = bound(openThreads({ queryTimeoutMs: 300 }));
  await rows(query(1)); // The thread has started.
  const startedAt = performance.now();
  const late = rows(counting(12_000_000));
  let isAnswered = false;
  const next = rows(query(7)).finally(() => {
    isAnswered = true;
  });
  await expect(late).rejects.toMatchObject({ code: 'unavailable' });
  expect(performance.now() - startedAt, 'before the thread has ended').toBeLessThan(1300);
  expect(isAnswered, 'before another thread may start').toBe(false);
  expect(await next).toEqual([{ n: 7 }]);
});

test('a query is refused when too many wait, and those that wait are answered', async () => {
  const { rows } = bound(openThreads({ queriesWaitingMax: 2 }));
  const results = await Promise.allSettled([1, 2, 3, 4, 5].map((n) => rows(query(n))));
  expect(results.map(({ status }) => status)).toContain('rejected');
  for (const [at, result] of results.entries()) {
    if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'unavailable' });
    else expect(result.value).toEqual([{ n: at + 1 }]);
  }
  expect(results.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThanOrEqual(2);
  expect(await rows(query(6))).toEqual([{ n: 6 }]);
});

test('the threads may be closed while a query runs, which is answered, and those that wait are refused', async () => {
  const opened = openThreads({});
  const { rows } = bound(opened);
  await rows(query(1));
  const results = Promise.allSettled([rows(counting(1_000_000)), rows(query(2))]);
  await setImmediate();
  await opened.close();
  const closed = { status: 'rejected', reason: expect.objectContaining({ code: 'unavailable' }) };
  expect(await results).toEqual([{ status: 'fulfilled', value: [{ n: 1_000_000 }] }, closed]);
  expect(await Promise.allSettled([rows(query(3))])).toEqual([closed]);
});

test('an error of SQLite has its code, and the next query is answered', async () => {
  const { rows } = bound(openThreads({}));
  await expect(rows({ sql: 'SELECT * FROM nowhere', values: [] })).rejects.toMatchObject({
    code: 'SQLITE_ERROR',
    message: expect.stringContaining('no such table'),
  });
  expect(await rows(query(3))).toEqual([{ n: 3 }]);
});

test('one thread answers one query after the other', async () => {
  const { rows } = bound(openThreads({}));
  for (let n = 0; n < 5; n += 1) expect(await rows(query(n))).toEqual([{ n }]);
});

test('a file that is gone is an error with the code of SQLite', async () => {
  const opened = openThreads({});
  const kept = path;
  try {
    path = place('gone.sqlite');
    await rm(path, { force: true });
    const { rows } = bound(openThreads({}));
    await expect(rows(query(1))).rejects.toMatchObject({ code: 'SQLITE_CANTOPEN' });
  } finally {
    path = kept;
    await opened.close();
  }
});

function bound(opened: QueryThreads) {
  return { rows: opened.rows.bind(opened) };
}
