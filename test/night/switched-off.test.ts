/** Upstreams with `"off": true` in `source.json`, and what a store says of the terms of its records. */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { NightResult } from '../../pipeline/night/night-result.ts';
import { loadSettings } from '../../pipeline/source/source-settings.ts';
import { readStatus } from '../../pipeline/upkeep/status.ts';
import { addDays } from '../../runtime/day.ts';
import { RECORD_VERSIONS } from '../../schemas/record-versions.ts';
import { openTwoUpstreams, TWO_UPSTREAMS_SQL, useTwoUpstreams } from '../support/fetch/two-upstreams.ts';
import { perFile, perTest } from '../support/per-test.ts';
import { newestOf, readRelease } from '../support/pipeline/published.ts';
import { openTemporaryStore } from '../support/pipeline/temporary-store.ts';
import { writeDay } from '../support/pipeline/write-day.ts';
import { newFolder } from '../support/temporary-folder.ts';

const [FIRST, SECOND, THIRD] = ['2026-06-01', '2026-06-02', '2026-06-03'] as const;
/** From here on, prices name their source. */
const CUTOVER_1_1 = RECORD_VERSIONS.find(({ version }) => version === '1.1')?.inForceFrom ?? '';
const SHOP = { source: 'shop', license: null, redistribution: true };
const MALL = { source: 'mall', license: null, redistribution: false };

/** Of the source's SELECTs, whatever is off. */
const NOTES = [
  'source.sql (models): has no organization, release_date, context_length, inference; taken as empty',
  'source.sql (pricing): has no output_per_million, effective_from; taken as empty',
  ...['benchmarks', 'scores', 'rankings'].map((name) => `${name}: no file today; its records are carried`),
];

/** The night of the first day, with which every test begins, and what follows it where the mall is off. */
const begun = perFile(async () => {
  const opened = await openTwoUpstreams();
  await opened.night(FIRST);
  return opened;
});
const dropped = perFile(() => openTwoUpstreams(begun));
let held: NightResult;
let accepted: NightResult;
beforeAll(async () => {
  await dropped.writeSource({ off: ['mall'] });
  held = await dropped.night(SECOND);
  accepted = await dropped.night(SECOND, { accept: true });
}, 180_000);
const place = perTest(() => useTwoUpstreams(begun));

/** Takes the first night away. */
const beginAnew = () =>
  Promise.all([place.store.folder, place.store.deps.workFolder].map((folder) => rm(folder, { recursive: true })));
const statusOf = (of = place) => readStatus(of.store.deps.store, { ...of.store.deps, expectedDay: undefined });
const termsOf = async (store = place.store) => {
  const { manifest } = await readRelease(store, await newestOf(store));
  return Object.fromEntries(manifest.datasets.map(({ name, terms }) => [name, terms]));
};
const dayFolder = (day: string) => join(place.store.deps.workFolder, 'fetched', day);

/** Fetches a day with the mall, whose night ends there. */
const fetchOnly = async (day: string) => {
  await place.writeSource({ sql: '' });
  expect((await place.night(day)).status).toBe('rejected');
  await writeFile(join(dayFolder(day), 'source.sql'), TWO_UPSTREAMS_SQL);
  expect(await readdir(dayFolder(day))).toContain('mall.json');
};

// Each of their nights starts a process, for which a busy machine takes its time.
describe('an upstream that is off', { timeout: 180_000 }, () => {
  test('is neither fetched nor read, from the first night: no note, no failure, no dataset is missing', async () => {
    await beginAnew();
    const required = { file: 'more.json', optional: false, carry: false, headers: { 'x-key': `\${MALL_KEY}` } };
    await place.writeSource({ more: [required], off: ['mall'] });
    expect(await place.night(FIRST)).toMatchObject({
      status: 'published',
      records: { models: 2, pricing: 2 },
      quarantined: 0,
      warnings: NOTES,
    });
    expect(place.mall.seen).toEqual([]);
    const { release } = await place.newest();
    expect(release.captured).toEqual(['models', 'pricing']);
    expect(release.fetched?.map(({ file }) => file)).toEqual(['shop.json']);
    expect(release.upstreams).toEqual([expect.objectContaining({ id: 'shop' })]);
    expect(JSON.stringify(release)).not.toContain('"off"');
    expect(await place.verifyAll()).toMatchObject({ ok: true, snapshots: 1 });
  });

  test('loses its records in the next night by the ordinary diff under the guard, and comes back when it is on', async () => {
    expect(held.status).toBe('held');
    expect(held.problems).toEqual([
      'models would lose 1 of 3 records (33.3 %); at most 30 % may be lost',
      'pricing would lose 2 of 4 records (50 %); at most 30 % may be lost',
    ]);
    expect(accepted).toMatchObject({
      status: 'published',
      records: { models: 2, pricing: 2 },
      warnings: NOTES,
    });
    const { release, open } = await dropped.newest();
    expect(release.events).toEqual({ upsert: 0, delete: 3 });
    expect(release.upstreams?.map(({ id }) => id)).toEqual(['shop']);
    expect(release.upstream_rows).toEqual({
      models: { shop: expect.anything() },
      pricing: { shop: expect.anything() },
    });
    expect(open.filter(({ valid_from }) => valid_from === null)).toEqual([]);
    expect(release.files.filter(({ path }) => path.includes('mall'))).toEqual([]);
    const back = await useTwoUpstreams(dropped);
    expect(await back.night(THIRD)).toMatchObject({ status: 'published', records: { models: 3, pricing: 4 } });
    expect(await back.verifyAll()).toMatchObject({ ok: true, snapshots: 3 });
  });

  test('is not read from a day that was fetched with it: neither on the same day nor later', async () => {
    await fetchOnly(SECOND);
    await place.writeSource({ off: ['mall'] });
    // Its file is there, and the copy of source.json beside it has the upstream on.
    const later = await place.night(SECOND, { now: THIRD, accept: true });
    expect(later).toMatchObject({ status: 'published', records: { models: 2, pricing: 2 }, warnings: NOTES });
    expect((await place.newest()).release.files.filter(({ path }) => path.includes('mall'))).toEqual([]);
    await place.writeSource({});
    expect((await place.night(THIRD)).status).toBe('published');
    expect(await place.verifyAll()).toMatchObject({ ok: true });
  });

  test('leaves the folder of its day when the day is fetched again', async () => {
    await fetchOnly(SECOND);
    await place.writeSource({ off: ['mall'] });
    await place.night(SECOND, { accept: true });
    expect(await readdir(dayFolder(SECOND))).not.toContain('mall.json');
    expect(JSON.parse(await readFile(join(dayFolder(SECOND), 'fetch.json'), 'utf8'))).toMatchObject({
      files: [{ file: 'shop.json' }],
      off: [{ upstream: 'mall', file: 'mall.json', folder: null, columns: {} }],
    });
  });

  test('rejects the night where a SELECT needs the columns of its file and nobody says them', async () => {
    const sql = TWO_UPSTREAMS_SQL.replace("read_json_objects('mall.json')", "read_json('mall.json')");
    await place.writeSource({ sql, off: ['mall'] });
    const why =
      "source.sql line 1 (models): reads mall.json of mall, which is off: list the file's columns in source.json";
    expect((await place.night(SECOND)).problems).toEqual([expect.stringContaining(why)]);
  });

  test('rejects the night where its file is that of a dataset without a SELECT', async () => {
    await place.writeSource({ more: [{ file: 'scores.csv' }], off: ['mall'] });
    const why =
      'scores: scores.csv of mall is off, so its records would stay; put an empty scores.jsonl beside source.json';
    expect((await place.night(SECOND)).problems).toEqual([why]);
    await writeFile(join(place.root, 'scores.jsonl'), '');
    expect(await place.night(SECOND, { accept: true })).toMatchObject({ status: 'published', records: { scores: 0 } });
  });

  test('rejects the night where no file of it is known', async () => {
    const raw = join(await newFolder(), SECOND);
    await writeDay(raw, { models: [{ id: 'a', name: 'a' }] });
    const upstreams = [{ id: 'mall', name: 'mall', url: 'https://mall.test', off: true }];
    await writeFile(join(raw, 'source.json'), JSON.stringify({ upstreams }));
    expect((await place.store.night(join(raw, '..'), SECOND)).problems).toEqual([
      "mall is off in source.json, but none of its files is listed in fetch, so its rows can't be left out; remove it from upstreams and source.sql",
    ]);
  });

  test('is on by default, and is left out of what is on in the settings', async () => {
    await place.writeSource({ off: ['mall'] });
    const { upstreams, fetch, off } = await loadSettings(join(place.root, 'source.json'));
    expect([upstreams, fetch].map((list) => list.length)).toEqual([1, 1]);
    expect(off).toMatchObject({ upstreams: [{ id: 'mall' }], fetch: [{ file: 'mall.json' }] });
    await writeFile(join(place.root, 'source.json'), JSON.stringify({ upstreams: [{ ...upstreams[0], off: 'yes' }] }));
    await expect(loadSettings(join(place.root, 'source.json'))).rejects.toThrow('upstreams[0].off: ');
  });
});

describe('the terms of a store', { timeout: 180_000 }, () => {
  const unknown = ['mall', 'shop'].map((source) => ({ source, license: null, redistribution: false }));
  /** By night, of a store whose rows do not name an upstream: the mall is off from the second night, on which rows are bad. */
  const withoutNames: Awaited<ReturnType<typeof termsOf>>[] = [];
  beforeAll(async () => {
    const store = await openTemporaryStore();
    const upstreams = ['shop', 'mall'].map((id) => ({ id, name: id, url: 'https://shop.test' }));
    const a = { id: 'a', name: 'a' };
    const b = { id: 'b', name: 'b' };
    const good = { models: [a], benchmarks: [a, b] };
    const bad = { models: [a, { name: 'without an id' }], benchmarks: [a, { ...b, name: '' }] };
    for (const [index, day] of [FIRST, SECOND, THIRD].entries()) {
      const settings = { max_bad_rows: 1, upstreams: index === 0 ? upstreams : upstreams.slice(0, 1) };
      await store.publish(day, index === 1 ? bad : good, { settings });
      withoutNames.push(await termsOf(store));
    }
    return store.dispose;
  });

  test('name an upstream that is off while a record is carried that does not name its own', () => {
    expect(withoutNames.map(({ benchmarks }) => benchmarks)).toEqual([unknown, unknown, unknown.slice(1)]);
  });

  test('name every listed upstream where no row names its own, and keep one while nothing of the dataset is deleted', () => {
    expect(withoutNames.map(({ models }) => models)).toEqual([unknown, unknown, unknown.slice(1)]);
  });

  test('are in the manifest per dataset, by source, of those that gave rows; status lists what must not be passed on', async () => {
    expect(await termsOf()).toEqual({ models: [MALL, SHOP], pricing: [MALL, SHOP] });
    expect((await statusOf()).restricted).toEqual([{ source: 'mall', license: null, datasets: ['models', 'pricing'] }]);
    expect(await termsOf(dropped.store)).toEqual({ models: [SHOP], pricing: [SHOP] });
    expect((await statusOf(dropped)).restricted).toEqual([]);
  });

  test('name an upstream that is off while a record of it stays, because the row of its key is a suspect', async () => {
    await beginAnew();
    // Per model the price of the mall counts, if it has one.
    const [models = ''] = TWO_UPSTREAMS_SQL.split(/(?=-- pricing)/);
    const sql = `${models}-- pricing
SELECT model_id, 'x' AS provider, arg_min((prices->>model_id)::DOUBLE, upstream) AS input_per_million, min(upstream) AS upstream FROM (
  SELECT unnest(json_keys(json)) AS model_id, json AS prices, 'shop' AS upstream FROM read_json_objects('shop.json')
  UNION ALL SELECT unnest(json_keys(json)), json, 'mall' FROM read_json_objects('mall.json'))
GROUP BY model_id;
`;
    place.shop.serve('/shop.json', { a: 900, b: 2, c: 7 });
    place.mall.serve('/mall.json', { a: 0.5, b: 2 });
    await place.writeSource({ sql });
    await place.night(CUTOVER_1_1);
    await place.writeSource({ sql, off: ['mall'] });
    expect(await place.night(addDays(CUTOVER_1_1, 1), { accept: true })).toMatchObject({ status: 'published' });
    const { release, pricing } = await place.newest();
    expect(pricing.map((record) => record['source'])).toEqual(['mall', 'shop', 'shop']);
    expect(await termsOf()).toEqual({ models: [SHOP], pricing: [MALL, SHOP] });
    expect(release.upstreams?.map(({ id }) => id)).toEqual(['shop', 'mall']);
    expect((await statusOf()).restricted).toMatchObject([{ source: 'mall', datasets: ['pricing'] }]);
    place.shop.serve('/shop.json', { a: 1, b: 2, c: 7 });
    expect(await place.night(addDays(CUTOVER_1_1, 2))).toMatchObject({ status: 'published' });
    expect(await termsOf()).toEqual({ models: [SHOP], pricing: [SHOP] });
    expect((await place.newest()).release.upstreams?.map(({ id }) => id)).toEqual(['shop']);
  });

  test('stay where a night does not list upstreams, or does not capture the dataset of one that is off', async () => {
    const raw = join(await newFolder(), SECOND);
    await writeDay(raw, { models: ['a', 'b', 'c'].map((id) => ({ id, name: id })) });
    expect(await place.store.night(join(raw, '..'), SECOND)).toMatchObject({ status: 'published' });
    expect(await termsOf()).toEqual({ models: [MALL, SHOP], pricing: [MALL, SHOP] });
    expect((await place.newest()).release.upstreams?.map(({ id }) => id)).toEqual(['shop', 'mall']);
    const [models = '', pricing = ''] = TWO_UPSTREAMS_SQL.split(/(?=-- pricing)/);
    await place.writeSource({ sql: `${models}${pricing.replaceAll('shop.json', 'gone.json')}`, off: ['mall'] });
    expect(await place.night(THIRD, { accept: true })).toMatchObject({
      status: 'published',
      records: { models: 2, pricing: 3 },
    });
    expect(await termsOf()).toEqual({ models: [SHOP], pricing: [MALL, SHOP] });
    expect((await place.newest()).release.upstreams?.map(({ id }) => id)).toEqual(['shop', 'mall']);
    expect((await statusOf()).restricted).toMatchObject([{ source: 'mall', datasets: ['pricing'] }]);
    expect(await place.verifyAll()).toMatchObject({ ok: true, snapshots: 3 });
  });
});
