import { mkdtemp, open as openFile, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { number } from '../../storage/duckdb/row-shape.ts';
import { openApi, type TestApi } from '../../test/support/api/open-api.ts';
import { openTemporaryStore, type TemporaryStore } from '../../test/support/pipeline/temporary-store.ts';
import { SMALL_DAYS } from '../../test/worlds/small-days.ts';
import { QueryPool } from './query-pool.ts';

const [FIRST = '', SECOND = '', THIRD = ''] = Object.keys(SMALL_DAYS);
const ROUTES = ['/v1/models', '/v1/scores', '/v1/changes', '/v1/models/a/history?kind=score', '/v1/models/a'];

describe('a view', () => {
  let store: TemporaryStore;
  let api: TestApi;
  let views: string;

  beforeAll(async () => {
    store = await openTemporaryStore();
    views = await mkdtemp(join(tmpdir(), 'modelstats-view-'));
    await store.publish(FIRST, SMALL_DAYS[FIRST] ?? {});
    api = await openApi({ store: store.url, viewFolder: views });
  });
  afterAll(async () => {
    await api?.close();
    await store?.dispose();
    await rm(views, { recursive: true, force: true });
  });

  test('that is replaced closes only after its last request, and then for good', async () => {
    const old = api.follower.current();
    const [first, second] = [old.lease(), old.lease()];
    await store.publish(SECOND, SMALL_DAYS[SECOND] ?? {});
    await api.follower.refresh();
    expect(api.follower.current()).not.toBe(old);
    first();
    first(); // Given back twice, it counts once.
    expect(await old.rows({ n: number }, 'SELECT count(*)::INTEGER AS n FROM models')).toEqual([{ n: 5 }]);
    second();
    await expect(old.rows({}, 'SELECT 1')).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('whose file is damaged while it serves is rebuilt; until then answers are 503', async () => {
    await overwrite(api.follower.current().path);
    const statuses: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      for (const path of ROUTES)
        statuses.push((await api.get(`${path}${path.includes('?') ? '&' : '?'}r=${round}`)).statusCode);
      await api.follower.refresh();
    }
    expect(statuses.slice(-ROUTES.length)).toEqual(ROUTES.map(() => 200));
    expect(new Set(statuses)).toEqual(new Set([503, 200]));
    expect(api.events.map(({ type }) => type)).toContain('damaged');
    expect((await api.get('/health/ready')).json()).toMatchObject({ status: 'ready', problem: null });
  });

  test.each(['feed', 'score'] as const)(
    'whose text of the %s is damaged while it serves is rebuilt, and no answer is wrong',
    async (of) => {
      const [feed, history] = ['/v1/changes?limit=7', '/v1/models/a/history?kind=score'];
      const path = of === 'feed' ? feed : history;
      const before = (await api.get(path)).body;
      const { meta, path: file } = api.follower.current();
      const { file: name } = of === 'feed' ? meta.texts.feed : meta.texts.histories.score;
      const at = join(file, '..', name);
      await writeFile(
        at,
        (await readFile(at)).map((byte) => (byte === 0x31 ? 0x32 : byte)),
      );
      // Not what was asked before: that may be at hand.
      const other = of === 'feed' ? `${feed}&entity_type=score` : `${history}&from=2026-05-01`;
      expect((await api.get(other)).statusCode).toBe(503);
      await api.follower.refresh();
      expect(api.events.at(-1)).toMatchObject({ type: 'swapped', isExtended: false });
      expect((await api.get(other)).statusCode).toBe(200);
      expect((await api.get(path)).body).toBe(before);
    },
  );

  test('whose file is damaged unnoticed does not keep the next release from being served', async () => {
    await overwrite(api.follower.current().path);
    await store.publish(THIRD, SMALL_DAYS[THIRD] ?? {});
    await api.follower.refresh();
    expect(api.follower.current().newest.day).toBe(THIRD);
    expect(api.events.at(-1)).toMatchObject({ type: 'swapped', isExtended: false });
  });
});

/** Everything behind the headers, in place, which readers of the open file see. */
async function overwrite(path: string): Promise<void> {
  const { size } = await stat(path);
  const file = await openFile(path, 'r+');
  await file.write(Buffer.alloc(size - 12_288, 0x5a), 0, size - 12_288, 12_288);
  await file.close();
}

describe('the query pool', () => {
  let instance: DuckDBInstance | undefined;
  let pool: QueryPool;

  async function openPool(limits: { queriesMax?: number; queriesWaitingMax?: number; queryTimeoutMs?: number }) {
    instance = await DuckDBInstance.create(':memory:', { threads: '1' });
    pool = await QueryPool.open(instance, { queriesMax: 1, queriesWaitingMax: 10, queryTimeoutMs: 20_000, ...limits });
    return pool;
  }
  afterEach(() => {
    pool.close();
    instance?.closeSync();
  });

  const SLOW = 'SELECT count(*)::DOUBLE AS n FROM range(100000000000) t(i) WHERE hash(i) = 1';

  test('ends a query that takes too long, and the connection goes on', async () => {
    const { rows } = await openPool({ queryTimeoutMs: 50 }).then((opened) => ({ rows: opened.rows.bind(opened) }));
    await expect(rows({}, SLOW, [])).rejects.toMatchObject({ code: 'unavailable' });
    expect(await rows({ n: number }, 'SELECT $1::INTEGER AS n', [7])).toEqual([{ n: 7 }]);
  });

  test('refuses a query when too many wait, and answers those that do', async () => {
    const opened = await openPool({ queriesWaitingMax: 2 });
    const ask = (n: number) => opened.rows({ n: number }, 'SELECT $1::INTEGER AS n', [n]);
    const results = await Promise.allSettled([1, 2, 3, 4, 5].map(ask));
    expect(results.map(({ status }) => status)).toContain('rejected');
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'unavailable' });
    }
    expect(await ask(6)).toEqual([{ n: 6 }]);
  });

  test('may be closed while a query runs that nobody waits for', async () => {
    const opened = await openPool({ queryTimeoutMs: 100 });
    const running = opened.rows({}, SLOW, []);
    const waiting = opened.rows({}, 'SELECT 1', []);
    opened.close();
    await expect(running).rejects.toMatchObject({ code: 'unavailable' });
    await expect(waiting).rejects.toMatchObject({ code: 'unavailable' });
  });
});
