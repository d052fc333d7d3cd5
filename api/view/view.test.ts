import { cp, mkdtemp, open as openFile, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import SqliteDatabase from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openApi, type TestApi } from '../../test/support/api/open-api.ts';
import { withNames } from '../../test/support/pipeline/named-models.ts';
import { openTemporaryStore, type TemporaryStore } from '../../test/support/pipeline/temporary-store.ts';
import { useFolder } from '../../test/support/temporary-folder.ts';
import { SMALL_DAYS } from '../../test/worlds/small-days.ts';
import { QueryThreads } from './query-threads.ts';
import { type ViewFile, type WriteInput, writeView } from './write/write-view.ts';

const [FIRST = '', SECOND = '', THIRD = ''] = Object.keys(SMALL_DAYS);
const ROUTES = ['/v1/models', '/v1/scores', '/v1/changes', '/v1/models/a/history?kind=score', '/v1/models/a'];

const place = useFolder();

describe('a view', () => {
  let store: TemporaryStore;
  let api: TestApi;
  let views: string;

  beforeAll(async () => {
    store = await openTemporaryStore();
    views = await mkdtemp(join(tmpdir(), 'modelstats-view-'));
    await store.publish(FIRST, SMALL_DAYS[FIRST] ?? {}, withNames('shop,alias of a,a'));
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
    await store.publish(SECOND, SMALL_DAYS[SECOND] ?? {}, withNames('shop,alias of a,a'));
    await api.follower.refresh();
    expect(api.follower.current()).not.toBe(old);
    first();
    first(); // Given back twice, it counts once.
    expect(old.rows('SELECT count(*) AS n FROM models')).toEqual([{ n: 5 }]);
    expect(await old.rowsInThread('SELECT count(*) AS n FROM models')).toEqual([{ n: 5 }]);
    second();
    const closed = { code: 'unavailable' };
    await expect.poll(() => Promise.allSettled([old.rowsInThread('SELECT 1')])).toMatchObject([{ reason: closed }]);
    expect(() => old.rows('SELECT 1')).toThrow(expect.objectContaining(closed));
  });

  test('whose file is removed while it serves still answers, and is built again', async () => {
    const view = api.follower.current();
    const release = view.lease();
    await rm(view.path);
    expect(view.rows('SELECT count(*) AS n FROM models')).toEqual([{ n: 5 }]);
    expect(await view.rowsInThread('SELECT count(*) AS n FROM models')).toEqual([{ n: 5 }]);
    release();
    expect(api.events.at(-1)).toMatchObject({ type: 'damaged' });
    await api.follower.refresh();
    expect(api.events.at(-1)).toMatchObject({ type: 'swapped', isExtended: false });
    expect((await api.get('/v1/models')).statusCode).toBe(200);
  });

  test('that a thread cannot open, as without a free file descriptor, still answers and is kept', async () => {
    const view = api.follower.current();
    const events = api.events.length;
    const failing = Object.assign(new Error('unable to open database file'), { code: 'SQLITE_CANTOPEN' });
    vi.spyOn(QueryThreads.prototype, 'rows').mockRejectedValueOnce(failing);
    onTestFinished(() => void vi.restoreAllMocks());
    expect(await view.rowsInThread('SELECT count(*) AS n FROM models')).toEqual([{ n: 5 }]);
    expect(api.follower.current()).toBe(view);
    expect(api.events.slice(events)).toEqual([]);
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

  /** What is damaged, what a client requests, and a query of the damaged bytes: places of which SQLite notices nothing. */
  test.each<[string, string, string]>([
    ['record', '/v1/models/a', `SELECT line FROM models WHERE id = 'a'`],
    ['record in a list', '/v1/models?limit=2', `SELECT line FROM models WHERE id = 'a'`],
    ['names of a model', '/v1/models/a', `SELECT aliases FROM model_names WHERE search LIKE '%model a%'`],
    ['score', '/v1/scores?model_id=a&limit=7', `SELECT line FROM scores WHERE line LIKE '%"a"%"math/x"%'`],
    ['rank', '/v1/rankings?category=general', `SELECT line FROM rankings WHERE line LIKE '%"a"%general%'`],
    ['price', '/v1/models/a/history?kind=pricing', `SELECT text FROM intervals WHERE kind = 'pricing'`],
    [
      'interval',
      '/v1/models/a/history?kind=metadata',
      `SELECT text FROM intervals WHERE kind = 'metadata' AND text LIKE '%Model a"%'`,
    ],
    ['event', '/v1/changes?limit=7', 'SELECT deflated FROM events'],
    ['event of a type', '/v1/changes?limit=7&entity_type=score', 'SELECT deflated FROM events'],
    ['values of scores', '/v1/scores?source=official&count=true&limit=1', 'SELECT sorted FROM score_values'],
  ])('whose text of the %s is damaged while it serves is rebuilt, and no answer is wrong', async (_, path, sql) => {
    const before = await api.get(path);
    expect(before.statusCode).toBe(200);
    // From here on nothing that was read before is used: neither by SQLite nor by the service.
    const { path: served, meta, sum } = api.follower.current();
    const sound = place('sound.sqlite');
    await cp(served, sound);
    await api.close();
    const write = copyOf({ path: sound, meta, sum });
    api = await openApi({ store: store.url, viewFolder: views, write });
    await flipBit(api.follower.current().path, sql);
    const damaged = await api.get(path);
    expect(damaged.statusCode).toBe(503);
    expect(damaged.headers).toMatchObject({ 'cache-control': 'no-store' });
    await api.follower.refresh();
    expect(api.events.map(({ type }) => type)).toContain('damaged');
    expect(api.events.at(-1)).toMatchObject({ type: 'swapped', isExtended: false });
    expect((await api.get(path)).body).toBe(before.body);
  });

  test('whose file is damaged unnoticed does not keep the next release from being served', async () => {
    await overwrite(api.follower.current().path);
    await store.publish(THIRD, SMALL_DAYS[THIRD] ?? {});
    await api.follower.refresh();
    expect(api.follower.current().newest.day).toBe(THIRD);
    expect(api.events.at(-1)).toMatchObject({ type: 'swapped', isExtended: false });
  });
});

/** Copies a sound view where one of the same releases is built anew, which takes longer. */
function copyOf(view: ViewFile) {
  return async (input: WriteInput): Promise<ViewFile> => {
    if (!isDeepStrictEqual(input.meta.catalog, view.meta.catalog)) return writeView(input);
    await cp(view.path, input.path);
    return { ...view, path: input.path };
  };
}

/** Everything behind the headers, in place, which readers of the open file see. */
async function overwrite(path: string): Promise<void> {
  const { size } = await stat(path);
  const file = await openFile(path, 'r+');
  await file.write(Buffer.alloc(size - 12_288, 0x5a), 0, size - 12_288, 12_288);
  await file.close();
}

/** Flips a bit inside what a query of the view finds first, in place. */
async function flipBit(path: string, sql: string): Promise<void> {
  const view = new SqliteDatabase(path, { readonly: true });
  const found = Buffer.from(view.prepare<[], string | Buffer>(sql).pluck().get() ?? '');
  view.close();
  const bytes = await readFile(path);
  const at = bytes.indexOf(found);
  expect(at).toBeGreaterThan(0);
  expect(bytes.indexOf(found, at + 1), 'only one place').toBe(-1);
  const file = await openFile(path, 'r+');
  const middle = at + Math.floor(found.length / 2);
  await file.write(Buffer.of((bytes[middle] ?? 0) ^ 1), 0, 1, middle);
  await file.close();
}
