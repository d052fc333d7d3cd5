/** Nights in which an upstream gives less than it usually does (specification "Guard"). */
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeNight } from '../../bin/commands/night/run-nights.ts';
import { runNight } from '../../pipeline/night/night.ts';
import { addDays, type Day } from '../../runtime/day.ts';
import { loadCatalog, loadRelease, swapCatalog } from '../../storage/catalog.ts';
import { sha256 } from '../../storage/hash.ts';
import { RELEASE_PATHS, type ReleaseName, releaseKey } from '../../storage/keys.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import { useStoreFiles } from '../support/pipeline/store-files.ts';
import { openTemporaryStore, type TemporaryStore } from '../support/pipeline/temporary-store.ts';
import { writeDay } from '../support/pipeline/write-day.ts';
import { useFolder } from '../support/temporary-folder.ts';

/** Two upstreams, a large and a small one, that share nothing; `both` is a model that they both have. */
const SQL = `-- models
SELECT id, any_value(id) AS name, string_agg(upstream, ', ' ORDER BY upstream) AS upstream FROM (
  SELECT 'shop-' || unnest(range(models)) AS id, 'shop' AS upstream FROM read_json('shop.json')
  UNION ALL SELECT 'mall-' || unnest(range(models)), 'mall' FROM read_json('mall.json')
  UNION ALL SELECT 'both', 'shop' UNION ALL SELECT 'both', 'mall' FROM read_json('mall.json') WHERE models > 0)
GROUP BY id;
`;
const UPSTREAMS = ['shop', 'mall'].map((id) => ({ id, name: id, url: 'https://upstream.test' }));

/** Nights that are known: two more than the fewest that say what is usual, as the first has none before it. */
const FIRST = '2026-06-01';
const LAST = addDays(FIRST, 11);
const TONIGHT = addDays(LAST, 1);
const [SHOP, MALL] = [399, 59];

/** Twelve nights, made once; those that publish more have a copy of their own. */
let nights: TemporaryStore;
const root = useFolder();
beforeAll(async () => {
  nights = await openTemporaryStore();
  const source = await giveDay(FIRST, { shop: SHOP, mall: MALL });
  expect(await nights.night(source, FIRST)).toMatchObject({ status: 'published' });
  await repeatTo(LAST);
});
afterAll(() => nights.dispose());

/** Lists the first release again for each day until a last one, as nights in which nothing changes do. */
async function repeatTo(last: Day): Promise<void> {
  const { store } = nights.deps;
  const loaded = await loadCatalog(store);
  const releases = [...(loaded.catalog?.releases ?? [])];
  const first = releases[0] ?? expect.fail();
  const release = await loadRelease(store, first);
  for (let day = addDays(FIRST, 1); day <= last; day = addDays(day, 1)) {
    const name = { day, run: `RUN${day.replaceAll('-', '')}` };
    const folderOf = (of: ReleaseName) => join(nights.folder, releaseKey(of, ''));
    await cp(folderOf(first), folderOf(name), { recursive: true });
    const text = JSON.stringify({ ...release, run: name.run, first_seq: null }).replaceAll(`"${FIRST}"`, `"${day}"`);
    await store.put(releaseKey(name, RELEASE_PATHS.release), Buffer.from(text));
    releases.push({ ...first, ...name, first_seq: null, release_sha256: sha256(text) });
  }
  await swapCatalog(store, loaded, { releases });
}

/** The folder of the source, with a day on which each upstream gives so many models of its own. */
async function giveDay(day: Day, models: { readonly shop: number; readonly mall: number }, settings: object = {}) {
  const folder = root('source');
  await mkdir(join(folder, day), { recursive: true });
  await writeFile(join(folder, 'source.sql'), SQL);
  await writeFile(join(folder, 'source.json'), JSON.stringify({ upstreams: UPSTREAMS, ...settings }));
  for (const [upstream, count] of Object.entries(models)) {
    await writeFile(join(folder, day, `${upstream}.json`), JSON.stringify({ models: count }));
  }
  return folder;
}

const idsOf = (upstream: string, count: number) => Array.from({ length: count }, (_, n) => `${upstream}-${n}`);

const copyOfNights = () => useStoreFiles(nights.folder);

interface Tonight {
  readonly store?: ObjectStore;
  readonly mall?: number;
  readonly settings?: object;
  readonly accept?: boolean;
}

/** A night after these, tried unless it has a store of its own to publish into. */
async function night({ store, mall = 44, settings = {}, accept = false }: Tonight) {
  const source = await giveDay(TONIGHT, { shop: SHOP, mall }, settings);
  const request = { day: TONIGHT, source, dryRun: store === undefined, accept, acceptSuspects: [] };
  const clock = () => new Date(`${addDays(TONIGHT, 1)}T00:20:00Z`);
  return runNight(request, { ...nights.deps, store: store ?? nights.deps.store, clock });
}

async function newestRelease(store: ObjectStore) {
  const entry = (await loadCatalog(store)).catalog?.releases.at(-1) ?? expect.fail();
  return loadRelease(store, entry);
}

const PART_OF_MALL =
  'models of mall would shrink from 60 to 45 rows (by 25 %); judging by its last 11 nights, at most 4 % may be lost';

describe('a part of the answer of a small upstream', () => {
  test('holds the night, names the upstream, and passes when it is accepted', async () => {
    const { store } = await copyOfNights();
    const held = await night({ store });
    expect(held).toMatchObject({ status: 'held', problems: [PART_OF_MALL] });
    expect(describeNight(held)).toMatch(
      /mall would shrink .*\n {2}Nothing was published\.\n {2}If the source is right, run: modelstats nightly --source \S+ --day \S+ --accept\n/,
    );
    expect(await night({ store, accept: true })).toMatchObject({ status: 'published' });
    const { accepted, upstream_rows } = await newestRelease(store);
    expect(accepted).toEqual([{ dataset: 'models', rule: 'usual_shrink', upstream: 'mall', message: PART_OF_MALL }]);
    expect(upstream_rows).toEqual({
      models: { shop: { rows: SHOP + 1, day: TONIGHT }, mall: { rows: 45, day: TONIGHT } },
    });
  });

  test('is judged by no more nights than the source asks for, and by none where it asks for none', async () => {
    const fewer = PART_OF_MALL.replace('11 nights', '10 nights');
    expect((await night({ settings: { usual_nights: 10 } })).problems).toEqual([fewer]);
    expect(await night({ settings: { usual_nights: 0 } })).toMatchObject({ status: 'dry_run', problems: [] });
  });

  test('holds the night whatever is usual where it lacks more than may ever go, and of however few where all is gone', async () => {
    expect((await night({ mall: 40 })).problems).toEqual([
      'models of mall would shrink from 60 to 41 rows (by 31.7 %); at most 30 % may be lost',
      'models would shrink from 459 to 440 records (by 4.1 %); judging by its last 11 nights, at most 4 % may be lost',
    ]);
    expect((await night({ mall: 0, settings: { min_shrink_records: 100 } })).problems).toEqual([
      'models of mall would shrink from 60 to 0 rows (by 100 %); at most 30 % may be lost',
    ]);
  });

  test('that the source no longer lists is nobody’s to judge: the dataset is, and not in the name of another', async () => {
    const { store } = await copyOfNights();
    const settings = { upstreams: UPSTREAMS.slice(0, 1) };
    expect(await night({ store, mall: 0, settings, accept: true })).toMatchObject({ status: 'published' });
    const { accepted, upstream_rows } = await newestRelease(store);
    expect(accepted.map(({ message }) => message)).toEqual([
      'models would shrink from 459 to 400 records (by 12.9 %); judging by its last 11 nights, at most 4 % may be lost',
    ]);
    expect(upstream_rows).toEqual({ models: { shop: { rows: SHOP + 1, day: TONIGHT } } });
  });

  test('is judged by what may ever go where earlier releases are damaged and too few nights are left', async () => {
    const copy = await copyOfNights();
    for (const entry of (await loadCatalog(copy.store)).catalog?.releases.slice(3, 5) ?? []) {
      await copy.damage(releaseKey(entry, RELEASE_PATHS.release), 'too long');
    }
    expect(await night({ store: copy.store })).toMatchObject({ status: 'published', problems: [] });
  });
});

test('a day that lies far ahead is held, with nothing published, and is passed by an operator who means it', async () => {
  const { store } = await copyOfNights();
  const FAR = '2031-01-01';
  // The same models, of a source without dated folders: the day is what a clock gives.
  const ids = ['both', ...idsOf('shop', SHOP), ...idsOf('mall', MALL)];
  const source = root('undated');
  await writeDay(source, { models: ids.map((id) => ({ id, name: id })) });
  const nightOf = (accept: boolean) =>
    runNight(
      { day: FAR, source, dryRun: false, accept, acceptSuspects: [] },
      { ...nights.deps, store, clock: () => new Date(`${FAR}T00:05:00Z`) },
    );
  expect(await nightOf(false)).toMatchObject({
    status: 'held',
    problems: [
      expect.stringMatching(
        /^2031-01-01 is 1664 days after the newest snapshot 2026-06-12, and only this machine's clock says so/,
      ),
    ],
    next_command: expect.stringContaining(`--day ${FAR} --accept`),
  });
  expect((await newestRelease(store)).day).toBe(LAST);
  expect(await nightOf(true)).toMatchObject({ status: 'published' });
  expect((await newestRelease(store)).accepted).toEqual([{ rule: 'day_ahead', message: expect.any(String) }]);
});
