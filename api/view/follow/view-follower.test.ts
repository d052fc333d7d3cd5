import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { ulid } from 'ulid';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openApi, type TestApi } from '../../../test/support/api/open-api.ts';
import type { AppOptions } from '../../../test/support/api/start-app.ts';
import { openTemporaryStore, type TemporaryStore } from '../../../test/support/pipeline/temporary-store.ts';
import { SMALL_DAYS } from '../../../test/worlds/small-days.ts';
import { fileSum } from '../file-sum.ts';
import type { ViewFile, WriteInput } from '../write/write-view.ts';
import { writeInChild } from './write-in-child.ts';

const [FIRST = '', SECOND = ''] = Object.keys(SMALL_DAYS);

let folder: string;
/** Two stores' contents: after one night and a backfill, and after two. The view of each lies beside it. */
let one: string;
let two: string;
let viewOfTwo: ViewFile;
let published: TemporaryStore;
let api: TestApi | undefined;
/** Of the test at hand. */
let store: string;
let views: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'modelstats-follower-'));
  [one, two] = [join(folder, 'one'), join(folder, 'two')];
  published = await openTemporaryStore();
  await published.publish(FIRST, SMALL_DAYS[FIRST] ?? {});
  const price = { model_id: 'a', provider: 'p1', input_per_million: 1, effective_from: '2026-05-20' };
  await published.backfill([price], '2026-06-03T01:00:00Z');
  await cp(published.folder, one, { recursive: true });
  await published.publish(SECOND, SMALL_DAYS[SECOND] ?? {});
  await cp(published.folder, two, { recursive: true });
  for (const contents of [one, two]) {
    const { follower, close } = await openApi({ store: `file:${contents}`, viewFolder: viewOf(contents) });
    const { path, meta, sum } = follower.current();
    viewOfTwo = { path, meta, sum };
    await close();
  }
});
afterAll(async () => {
  await published?.dispose();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  store = await mkdtemp(join(folder, 'store-'));
  views = await mkdtemp(join(folder, 'views-'));
});
afterEach(async () => {
  await api?.close();
  api = undefined;
  await rm(store, { recursive: true, force: true });
  await rm(views, { recursive: true, force: true });
});

const viewOf = (contents: string) => `${contents}-view`;

function publish(contents: string): Promise<void> {
  return cp(contents, store, { recursive: true, force: true });
}

/** The store holds this alone, and its view is kept. */
async function beginWith(contents: string): Promise<void> {
  await rm(store, { recursive: true });
  await publish(contents);
  await rm(views, { recursive: true });
  await cp(viewOf(contents), views, { recursive: true });
}

async function open(options: AppOptions = {}): Promise<TestApi> {
  api = await openApi({ ...options, store: `file:${store}`, viewFolder: views });
  return api;
}

async function servedDay({ get }: TestApi): Promise<unknown> {
  const { statusCode, headers } = await get('/v1/models');
  return statusCode === 200 ? String(headers['x-data-as-of']).slice(0, 10) : statusCode;
}

/** No problem names the service's paths. */
async function health({ get }: TestApi) {
  const response = await get('/health/ready');
  for (const place of [store, views, 'file:', 'releases/', 'backfill/', '.json', '.parquet', 'sha256'])
    expect(response.body).not.toContain(place);
  return { code: response.statusCode, ...response.json() };
}

async function pathOf(part: string): Promise<string> {
  const names = await readdir(store, { recursive: true });
  const found = names.filter((name) => name.includes(part) && /\.(parquet|json)$/.test(name)).sort();
  // Of the newest release; of a backfill its intervals, not its mark.
  return join(store, found.findLast((name) => !name.startsWith('backfill/') || name.endsWith('.parquet')) ?? '');
}

type Damage = 'missing' | 'truncated' | 'altered';

/** Damages an object; the returned function mends it. */
async function damage(part: string, kind: Damage): Promise<() => Promise<void>> {
  const path = await pathOf(part);
  const bytes = await readFile(path);
  if (kind === 'missing') await rm(path);
  else if (kind === 'truncated') await writeFile(path, bytes.subarray(0, bytes.length - 5));
  else
    await writeFile(
      path,
      bytes.map((byte, i) => (i === 20 ? byte ^ 255 : byte)),
    );
  return () => writeFile(path, bytes);
}

/** Each part, damaged in one way. */
const EACH_PART: readonly (readonly [part: string, kind: Damage])[] = [
  ['catalog.json', 'truncated'],
  ['release.json', 'altered'],
  ['state/models', 'missing'],
  ['history/scores', 'truncated'],
  ['changes', 'altered'],
  ['backfill/pricing', 'missing'],
];

test.each([...EACH_PART, ['catalog.json', 'altered'], ['changes', 'truncated']] as const)(
  'with a %s that is %s the old view keeps serving, says why, and catches up once it is mended',
  async (part, kind) => {
    await beginWith(one);
    const its = await open();
    await publish(two);
    const mend = await damage(part, kind);
    await its.follower.refresh();
    expect(await servedDay(its)).toBe(FIRST);
    expect(await health(its)).toMatchObject({
      code: 200,
      status: 'ready',
      release: { day: FIRST },
      problem: { code: expect.stringMatching(/^(corrupt|not_found|unavailable)$/), since: expect.any(String) },
    });
    const left = (await readdir(views)).filter((name) => name.endsWith('.sqlite') || name.endsWith('.parts'));
    expect(left).toHaveLength(1);
    await mend();
    await its.follower.refresh();
    expect(await servedDay(its)).toBe(SECOND);
    expect(await health(its)).toMatchObject({ code: 200, release: { day: SECOND }, problem: null });
  },
);

test.each([...EACH_PART.slice(0, 1), ...EACH_PART.slice(-1)])(
  'at a cold start with a %s that is %s nothing is served until it is mended',
  async (part, kind) => {
    await publish(two);
    const mend = await damage(part, kind);
    const its = await open();
    const refused = await its.get('/v1/models');
    expect(refused.statusCode).toBe(503);
    expect(refused.json().error).toMatchObject({ code: 'unavailable', request_id: expect.any(String) });
    expect(refused.headers).toMatchObject({ 'cache-control': 'no-store' });
    expect(await health(its)).toMatchObject({
      code: 503,
      status: 'starting',
      problem: { message: expect.any(String) },
    });
    await mend();
    await its.follower.refresh();
    expect(await servedDay(its)).toBe(SECOND);
  },
);

test('a store without a night, or without a folder, is 503 until its first night', async () => {
  await rm(store, { recursive: true });
  const its = await open();
  expect(await servedDay(its)).toBe(503);
  expect((await health(its)).problem.message).toContain('nothing is published yet');
  await publish(one);
  await its.follower.refresh();
  expect(await servedDay(its)).toBe(FIRST);
  expect(its.events.map(({ type }) => type)).toEqual(['failed', 'swapped', 'recovered']);
  const { url } = await its.json(`/v1/snapshots/${FIRST}/download?dataset=models`);
  const { pathname, search } = new URL(String(url));
  expect((await its.get(pathname + search)).statusCode).toBe(200);
});

test('a missing catalog is reported, the last view is still served, and the catalog’s return is reported', async () => {
  await publish(one);
  const its = await open();
  const path = join(store, 'catalog.json');
  const bytes = await readFile(path);
  for (let outage = 1; outage <= 2; outage += 1) {
    await rm(path);
    await its.follower.refresh();
    expect(await servedDay(its)).toBe(FIRST);
    const { problem, ...rest } = await health(its);
    expect([rest.code, problem.code]).toEqual([200, 'not_found']);
    expect(problem.message).toBe('the store no longer has a catalog; the last view is still served');
    await writeFile(path, bytes);
    await its.follower.refresh();
    expect(await health(its)).toMatchObject({ code: 200, problem: null });
  }
  const since = expect.any(Date);
  const outage = [
    { type: 'failed', error: expect.objectContaining({ code: 'not_found' }) },
    { type: 'recovered', since },
  ];
  expect(its.events).toEqual([expect.objectContaining({ type: 'swapped' }), ...outage, ...outage]);
});

async function change(path: string, sql: string): Promise<void> {
  new SqliteDatabase(path).exec(sql).close();
}

/** Copies a sound view instead of building it anew, which takes longer. */
async function copyOfTwo({ base, path }: WriteInput): Promise<ViewFile> {
  expect(base).toBeUndefined();
  await cp(viewOfTwo.path, path);
  return { ...viewOfTwo, path };
}

describe('the cache folder', () => {
  beforeEach(() => beginWith(two));

  test('is extended where it is of an earlier release', async () => {
    await beginWith(one);
    await publish(two);
    const its = await open({ write: writeInChild }); // As in production.
    expect(its.events).toMatchObject([{ type: 'swapped', day: SECOND, isExtended: true }]);
    expect(await servedDay(its)).toBe(SECOND);
  });

  test('is built anew where it is of a later release, as after a store was restored', async () => {
    await rm(store, { recursive: true });
    await publish(one);
    const its = await open();
    expect(its.events).toMatchObject([{ type: 'swapped', day: FIRST, isExtended: false }]);
    expect(await servedDay(its)).toBe(FIRST);
  });

  test.each<[string, (path: string) => Promise<unknown>]>([
    ['lost', (path) => rm(path)],
    ['garbage', (path) => writeFile(path, 'garbage'.repeat(10_000))],
    ['a folder', (path) => rm(path).then(() => mkdir(path))],
    ['truncated', async (path) => writeFile(path, (await readFile(path)).subarray(0, 20_000))],
    ['empty', (path) => writeFile(path, '')],
    ['another database', (path) => rm(path).then(() => new SqliteDatabase(path).exec('CREATE TABLE t (n)').close())],
    ['of another format', (path) => change(path, `UPDATE meta SET json = replace(json, '"format":"', '"format":"0')`)],
    ['without what it says about itself', (path) => change(path, 'DELETE FROM meta')],
    ['unnamed', (path) => rm(join(path, '../current'))],
    ['named by garbage', (path) => writeFile(join(path, '../current'), '../../data/etc/passwd 1')],
    ['named without its sum', (path) => writeFile(join(path, '../current'), basename(path))],
  ])('is built anew where the view is %s, and nothing else is left in it', async (_, spoil) => {
    const [name = ''] = (await readdir(views)).filter((each) => each.endsWith('.sqlite'));
    await writeFile(join(views, `${ulid()}.sqlite`), 'of a build that died');
    await spoil(join(views, name));
    const its = await open({ write: copyOfTwo });
    expect(await servedDay(its)).toBe(SECOND);
    expect(await its.json('/v1/models/a/history?kind=score')).toHaveProperty('points.length', 4);
    await its.close();
    api = undefined;
    const view = await readFile(join(views, 'current'), 'utf8');
    const [, built, sum] = /^([0-9A-Z]{26}\.sqlite) (\d+)$/.exec(view) ?? [];
    expect((await readdir(views)).sort()).toEqual([built, 'current', 'lock', 'store']);
    expect(await fileSum(join(views, built ?? ''))).toBe(Number(sum));
  });

  test('is refused to a second process, and free once the first has stopped', async () => {
    const its = await open();
    await expect(openApi({ store: `file:${store}`, viewFolder: views })).rejects.toMatchObject({
      code: 'configuration',
      message: expect.stringContaining('another process uses it'),
    });
    expect(await servedDay(its)).toBe(SECOND);
    await its.close();
    expect(await servedDay(await open())).toBe(SECOND);
  });
});

test('a stop ends the writing of the next view, and reports no failure', async () => {
  await beginWith(one);
  const writing = Promise.withResolvers<void>();
  const { follower, events } = await open({
    write: (_, signal) => {
      writing.resolve();
      return new Promise((_written, reject) => signal?.addEventListener('abort', () => reject(new Error('killed'))));
    },
  });
  await publish(two);
  void follower.refresh();
  await writing.promise;
  await follower.stop();
  expect(events).toEqual([]);
  expect(follower.problem).toBeUndefined();
});
