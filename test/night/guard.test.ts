/** Nights in which an upstream gives less than it usually does (specification "Guard"). */
import { appendFile, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { describeNight } from '../../bin/commands/night/describe-night.ts';
import { runNight } from '../../pipeline/night/night.ts';
import { addDays, type Day } from '../../schemas/day.ts';
import { RELEASE_PATHS, releaseKey } from '../../storage/keys.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import { listReleases, readRelease } from '../support/pipeline/published.ts';
import { openTemporaryStore, type TemporaryStore } from '../support/pipeline/temporary-store.ts';

/** Two upstreams, a large and a small one, that share nothing; `both` is a model that they both have. */
const SQL = `-- models
SELECT id, any_value(id) AS name, string_agg(upstream, ', ' ORDER BY upstream) AS upstream FROM (
  SELECT 'shop-' || unnest(range(models)) AS id, 'shop' AS upstream FROM read_json('shop.json')
  UNION ALL SELECT 'mall-' || unnest(range(models)), 'mall' FROM read_json('mall.json')
  UNION ALL SELECT 'both', 'shop' UNION ALL SELECT 'both', 'mall' FROM read_json('mall.json') WHERE models > 0)
GROUP BY id;
`;
const UPSTREAMS = ['shop', 'mall'].map((id) => ({ id, name: id, url: 'https://upstream.test' }));

/** Nights that are known: one more than the fewest that say what is usual, as the first has none before it. */
const FIRST = '2026-06-01';
const LAST = addDays(FIRST, 10);
const TONIGHT = addDays(LAST, 1);
const [SHOP, MALL] = [399, 59];

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'modelstats-guard-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

/** The folder of the source, with a day on which each upstream gives so many models of its own. */
async function giveDay(day: Day, models: { readonly shop: number; readonly mall: number }, settings: object = {}) {
  const folder = join(root, 'source');
  await mkdir(join(folder, day), { recursive: true });
  await writeFile(join(folder, 'source.sql'), SQL);
  await writeFile(join(folder, 'source.json'), JSON.stringify({ upstreams: UPSTREAMS, ...settings }));
  for (const [upstream, count] of Object.entries(models)) {
    await writeFile(join(folder, day, `${upstream}.json`), JSON.stringify({ models: count }));
  }
  return folder;
}

/** The eleven nights, in a store of the test's own. */
async function useNights(): Promise<TemporaryStore> {
  const store = await openTemporaryStore();
  onTestFinished(() => store.dispose());
  for (let day = FIRST; day <= LAST; day = addDays(day, 1)) {
    const result = await store.night(await giveDay(day, { shop: SHOP, mall: MALL }), day);
    if (result.status !== 'published') throw new Error(JSON.stringify(result));
  }
  return store;
}

async function newestRelease(store: TemporaryStore) {
  const entry = (await listReleases(store)).at(-1);
  if (entry === undefined) throw new Error('nothing is published');
  return readRelease(store, entry);
}

const PART_OF_MALL =
  'models of mall would shrink from 60 to 45 rows (by 25 %); going by its last 10 nights up to 4 % is usual';

describe('a part of the answer of a small upstream', () => {
  test('holds the night, names the upstream, and passes when it is accepted', async () => {
    const store = await useNights();
    const source = await giveDay(TONIGHT, { shop: SHOP, mall: 44 });
    const held = await store.night(source, TONIGHT);
    expect(held).toMatchObject({ status: 'held', problems: [PART_OF_MALL] });
    expect(describeNight(held)).toMatch(
      /mall would shrink .*\n {2}Nothing was published\.\n {2}If the source is right, run: modelstats nightly --source \S+ --day \S+ --accept\n/,
    );
    expect(await store.night(source, TONIGHT, { accept: true })).toMatchObject({ status: 'published' });
    const { accepted, upstream_rows } = await newestRelease(store);
    expect(accepted).toEqual([{ dataset: 'models', rule: 'usual_shrink', upstream: 'mall', message: PART_OF_MALL }]);
    expect(upstream_rows).toEqual({
      models: { shop: { rows: SHOP + 1, day: TONIGHT }, mall: { rows: 45, day: TONIGHT } },
    });
  });

  test('is judged by no more nights than the source asks for', async () => {
    const store = await useNights();
    const more = addDays(TONIGHT, 1);
    await store.night(await giveDay(TONIGHT, { shop: SHOP, mall: MALL }), TONIGHT);
    const ten = await store.night(await giveDay(more, { shop: SHOP, mall: 44 }, { usual_nights: 10 }), more);
    expect(ten.problems).toEqual([PART_OF_MALL]);
    const all = await store.night(await giveDay(more, { shop: SHOP, mall: 44 }), more);
    expect(all.problems).toEqual([PART_OF_MALL.replace('10 nights', '11 nights')]);
  });

  test('is shown by a dry run as it would be held', async () => {
    const store = await useNights();
    const source = await giveDay(TONIGHT, { shop: SHOP, mall: 44 });
    const tried = await runNight({ day: TONIGHT, source, dryRun: true, accept: false, acceptSuspects: [] }, store.deps);
    expect(tried).toMatchObject({ status: 'held', problems: [PART_OF_MALL], preview: { datasets: {} } });
  });

  test('that was accepted holds no night when the rest is back, nor when it stays away', async () => {
    for (const mall of [MALL, 44]) {
      const store = await useNights();
      await store.night(await giveDay(TONIGHT, { shop: SHOP, mall: 44 }), TONIGHT, { accept: true });
      const after = addDays(TONIGHT, 1);
      expect(await store.night(await giveDay(after, { shop: SHOP, mall }), after)).toMatchObject({
        status: 'published',
      });
      const again = addDays(TONIGHT, 2);
      const part = await store.night(await giveDay(again, { shop: SHOP, mall: mall - 12 }), again);
      expect(part).toMatchObject({
        status: 'held',
        problems: [expect.stringContaining('going by its last 12 nights up to 4 % is usual')],
      });
    }
  });

  test('holds the night whatever is usual where it lacks more than may ever go, and of however few where all is gone', async () => {
    const store = await useNights();
    const lacking = await store.night(await giveDay(TONIGHT, { shop: SHOP, mall: 40 }), TONIGHT);
    expect(lacking.problems).toEqual([
      'models of mall would shrink from 60 to 41 rows (by 31.7 %); at most 30 % may go',
      'models would shrink from 459 to 440 records (by 4.1 %); going by its last 10 nights up to 4 % is usual',
    ]);
    const source = await giveDay(TONIGHT, { shop: SHOP, mall: 0 }, { min_shrink_records: 100 });
    expect((await store.night(source, TONIGHT)).problems).toEqual([
      'models of mall would shrink from 60 to 0 rows (by 100 %); at most 30 % may go',
    ]);
  });

  test('holds no night where the source does not ask for what is usual, or allows more', async () => {
    for (const settings of [{ usual_nights: 0 }, { min_shrink: 0.25 }, { min_shrink_records: 15 }]) {
      const store = await useNights();
      const source = await giveDay(TONIGHT, { shop: SHOP, mall: 44 }, settings);
      expect(await store.night(source, TONIGHT)).toMatchObject({ status: 'published' });
    }
  });

  test('that the source no longer lists is nobody’s to judge: the dataset is, and not in the name of another', async () => {
    const store = await useNights();
    const [shop] = UPSTREAMS;
    const source = await giveDay(TONIGHT, { shop: SHOP, mall: 0 }, { upstreams: [shop] });
    expect((await store.night(source, TONIGHT)).problems).toEqual([
      'models would shrink from 459 to 400 records (by 12.9 %); going by its last 10 nights up to 4 % is usual',
    ]);
    expect(await store.night(source, TONIGHT, { accept: true })).toMatchObject({ status: 'published' });
    const { upstream_rows } = await newestRelease(store);
    expect(upstream_rows).toEqual({ models: { shop: { rows: SHOP + 1, day: TONIGHT } } });
  });

  test('is judged by what may ever go where earlier releases are damaged and too few nights are left', async () => {
    const store = await useNights();
    const entry = (await listReleases(store))[3];
    if (entry === undefined) throw new Error('too few nights');
    await appendFile(join(store.folder, releaseKey(entry, RELEASE_PATHS.release)), ' ');
    const source = await giveDay(TONIGHT, { shop: SHOP, mall: 44 });
    const { status, problems } = await store.night(source, TONIGHT);
    expect({ status, problems }).toEqual({ status: 'published', problems: [] });
  });
});

test('a few rows less hold nothing, and cost no look at earlier nights; more costs one at each', async () => {
  const store = await useNights();
  const looked: string[] = [];
  const counting: ObjectStore = new Proxy(store.deps.store, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...parameters: readonly unknown[]) => {
        if (name === 'get' && String(parameters[0]).endsWith('/release.json')) looked.push(String(parameters[0]));
        return value.apply(target, parameters);
      };
    },
  });
  const night = async (mall: number) => {
    looked.length = 0;
    const source = await giveDay(TONIGHT, { shop: SHOP, mall });
    const request = { day: TONIGHT, source, dryRun: true, accept: false, acceptSuspects: [] };
    return runNight(request, { ...store.deps, store: counting, clock: () => new Date(`${TONIGHT}T12:00:00Z`) });
  };
  await night(MALL);
  const quiet = looked.length;
  expect((await night(49)).status).toBe('dry_run');
  expect(looked).toHaveLength(quiet);
  expect((await night(44)).status).toBe('held');
  expect(looked).toHaveLength(quiet + 11);
});

describe('a day that lies far ahead', () => {
  const FAR = '2031-01-01';

  /** A night of the day that a clock gives, of a source without dated folders. */
  async function nightOf(store: TemporaryStore, accept = false) {
    const source = join(await giveDay(FIRST, { shop: SHOP, mall: MALL }), FIRST);
    await cp(join(root, 'source', 'source.sql'), join(source, 'source.sql'));
    const request = { day: FAR, source, dryRun: false, accept, acceptSuspects: [] };
    return runNight(request, { ...store.deps, clock: () => new Date(`${FAR}T00:05:00Z`) });
  }

  test('is held, with nothing published, and is passed by an operator who means it', async () => {
    const store = await useNights();
    const held = await nightOf(store);
    expect(held).toMatchObject({
      status: 'held',
      problems: [
        expect.stringMatching(/^2031-01-01 is 1665 days after the newest snapshot 2026-06-11, and nothing but/),
      ],
      next_command: expect.stringContaining(`--day ${FAR} --accept`),
    });
    expect((await listReleases(store)).at(-1)?.day).toBe(LAST);
    // The nights of the right clock go on.
    expect(await store.night(await giveDay(TONIGHT, { shop: SHOP, mall: MALL }), TONIGHT)).toMatchObject({
      status: 'published',
    });
    expect(await nightOf(store, true)).toMatchObject({ status: 'published' });
    const [newest] = (await listReleases(store)).slice(-1);
    expect((await readRelease(store, newest ?? expect.fail())).accepted).toEqual([
      { rule: 'day_ahead', message: expect.any(String) },
    ]);
  });
});
