import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { runNight } from '../../pipeline/night/night.ts';
import { readStatus } from '../../pipeline/upkeep/status.ts';
import { verify } from '../../pipeline/upkeep/verify/verify.ts';
import { addDays } from '../../schemas/day.ts';
import { RELEASE_PATHS, releaseKey } from '../../storage/keys.ts';
import * as faults from '../support/fetch/faults.ts';
import { FETCH_SETUP } from '../support/fetch/fetch-setup.ts';
import { UpstreamServer } from '../support/fetch/upstream-server.ts';
import { type FetchPlace, useFetch } from '../support/fetch/use-fetch.ts';
import {
  listReleases,
  readChanges,
  readOpenIntervals,
  readRelease,
  readSnapshot,
} from '../support/pipeline/published.ts';
import { openTemporaryStore, type TemporaryStore } from '../support/pipeline/temporary-store.ts';
import { upkeepDeps } from '../support/pipeline/upkeep.ts';

/** Two upstreams fill both datasets; a row of models may come from both. */
const SQL = `-- models
SELECT id, any_value(id) AS name, string_agg(upstream, ', ' ORDER BY upstream) AS upstream FROM (
  SELECT unnest(json_keys(json)) AS id, 'shop' AS upstream FROM read_json_objects('shop.json')
  UNION ALL SELECT unnest(json_keys(json)), 'mall' FROM read_json_objects('mall.json'))
GROUP BY id;

-- pricing
SELECT model_id, upstream AS provider, (prices->>model_id)::DOUBLE AS input_per_million, [upstream] AS upstream FROM (
  SELECT unnest(json_keys(json)) AS model_id, json AS prices, 'shop' AS upstream FROM read_json_objects('shop.json')
  UNION ALL SELECT unnest(json_keys(json)), json, 'mall' FROM read_json_objects('mall.json'));
`;

let place: FetchPlace;
let mall: UpstreamServer;
let store: TemporaryStore;
beforeEach(async () => {
  [place, mall, store] = [await useFetch(), await UpstreamServer.start(), await openTemporaryStore()];
  onTestFinished(store.dispose);
  onTestFinished(() => mall.close());
  await writeSource({ sql: SQL });
  place.server.serve('/shop.json', { a: 1, b: 2 });
  mall.serve('/mall.json', { b: 5, c: 7 });
});

function writeSource({ sql, more = [] }: { readonly sql: string; readonly more?: readonly object[] }): Promise<void> {
  const upstreams = ['shop', 'mall'].map((id) => ({ id, name: id, url: 'https://upstream.test' }));
  const ofMall = { upstream: 'mall', url: `${mall.url}/mall.json`, file: 'mall.json', optional: true, carry: true };
  const shop = { upstream: 'shop', url: `${place.server.url}/shop.json`, file: 'shop.json' };
  const fetch = [shop, ofMall, ...more.map((entry) => ({ ...ofMall, ...entry }))];
  return place.source([], { 'source.sql': sql, 'source.json': JSON.stringify({ upstreams, fetch }) });
}

const FIRST = '2026-06-01';

function night(day: string, { workFolder = store.deps.workFolder, accept = false } = {}) {
  return runNight(
    { day, source: place.root, dryRun: false, accept, acceptSuspects: [] },
    { ...store.deps, workFolder, clock: () => new Date(`${day}T00:05:00Z`), fetching: FETCH_SETUP },
  );
}

function verifyAll() {
  const { store: objects, clock, duckdb, workFolder } = store.deps;
  const deps = { ...upkeepDeps(workFolder), store: objects, clock, duckdb, onPlan: () => {}, onSnapshot: () => {} };
  return verify('all', deps);
}

async function newest() {
  const entry = (await listReleases(store)).at(-1);
  if (entry === undefined) throw new Error('nothing was published');
  const open = (await readOpenIntervals(store, entry))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  return {
    release: await readRelease(store, entry),
    pricing: (await readSnapshot(store, entry, 'pricing'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
    changes: (await readChanges(store, entry)).trim(),
    open,
  };
}

describe('an upstream that is down for a week', () => {
  test('has its records carried, without points, while others go on; everything says since when', async () => {
    expect((await night(FIRST)).problems).toEqual([]);
    mall.breakForGood('/mall.json', faults.status(503));
    for (let days = 1; days <= 7; days += 1) {
      place.server.serve('/shop.json', { a: 1 + days, b: 2 });
      const day = addDays(FIRST, days);
      const result = await night(day);
      expect(result).toMatchObject({
        status: 'published',
        records: { models: 3, pricing: 4 },
        events: { upsert: 1, delete: 0 },
        quarantined: 0,
        warnings: expect.arrayContaining([
          expect.stringMatching(/^mall\.json of mall could not be fetched from .*; records of mall are carried$/),
        ]),
      });
      const { release, open } = await newest();
      expect(release.captured).toEqual(['models', 'pricing']);
      const rows = { shop: { rows: 2, day }, mall: { rows: 2, day: FIRST } };
      expect(release.upstream_rows).toEqual({ models: rows, pricing: rows });
      expect(release.fetched?.[1]).toMatchObject({
        status: 'carried',
        fetched_at: `${FIRST}T00:05:00Z`,
        problem: expect.stringMatching(/answered 503/),
        failed_since: addDays(FIRST, 1),
      });
      expect(withoutPoints(open)).toEqual(['models b', 'models c', 'pricing b:mall', 'pricing c:mall']);
    }
    const status = await readStatus(store.deps.store, { ...store.deps, expectedDay: undefined });
    expect(status.missing_files).toMatchObject([{ upstream: 'mall', file: 'mall.json', since: addDays(FIRST, 1) }]);
  });

  test('is no loss, however large: not of its own rows, nor of those that others have a part in', async () => {
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`m${index}`, 1]));
    place.server.serve('/shop.json', many);
    mall.serve('/mall.json', many);
    await night(FIRST);
    mall.break('/mall.json', ...Array(3).fill(faults.cutOff));
    expect(await night(addDays(FIRST, 1))).toMatchObject({ status: 'published', events: { upsert: 0, delete: 0 } });
    mall.serve('/mall.json', {});
    expect(await night(addDays(FIRST, 2))).toMatchObject({
      status: 'held',
      problems: expect.arrayContaining([
        'models of mall would shrink from 20 to 0 rows (by 100 %); at most 30 % may go',
      ]),
    });
  });

  test('is captured again when it is back: what changed is an event, the rest has points again', async () => {
    await night(FIRST);
    mall.break('/mall.json', ...Array(3).fill(faults.cutOff));
    await night(addDays(FIRST, 1));
    mall.serve('/mall.json', { b: 5, c: 8 });
    await night(addDays(FIRST, 2));
    const { release, changes, open } = await newest();
    expect(release.fetched?.[1]).toMatchObject({ status: 'fetched', failed_since: null });
    expect(JSON.parse(changes)).toMatchObject({ entity_id: 'c:mall', op: 'upsert' });
    expect(withoutPoints(open)).toEqual([]);
    expect(await verifyAll()).toMatchObject({ ok: true, snapshots: 3 });
  });

  test('has no records made up: what it never said while it was up is not there', async () => {
    await night(FIRST);
    mall.breakForGood('/mall.json', faults.htmlPage());
    place.server.serve('/shop.json', { a: 1, b: 2, d: 4 });
    await night(addDays(FIRST, 1));
    expect((await newest()).pricing.map(({ model_id, provider }) => `${model_id}:${provider}`)).toEqual([
      'a:shop',
      'b:mall',
      'b:shop',
      'c:mall',
      'd:shop',
    ]);
  });

  test('is carried from the store alone: no night needs the work folder of another', async () => {
    await night(FIRST);
    mall.breakForGood('/mall.json', faults.status(503));
    for (const day of [addDays(FIRST, 1), addDays(FIRST, 2)]) {
      const workFolder = await mkdtemp(join(tmpdir(), 'modelstats-work-'));
      onTestFinished(() => rm(workFolder, { recursive: true }));
      expect(await night(day, { workFolder })).toMatchObject({
        status: 'published',
        records: { models: 3, pricing: 4 },
        events: { upsert: 0, delete: 0 },
      });
      const { release, open } = await newest();
      expect(release.fetched?.[1]).toMatchObject({ status: 'carried', fetched_at: `${FIRST}T00:05:00Z` });
      expect(withoutPoints(open)).toEqual(['models b', 'models c', 'pricing b:mall', 'pricing c:mall']);
    }
    expect(await verifyAll()).toMatchObject({ ok: true, snapshots: 3 });
  });

  test('has its file carried from the store rather than from the archive of a machine that missed a night', async () => {
    const workFolder = await mkdtemp(join(tmpdir(), 'modelstats-work-'));
    onTestFinished(() => rm(workFolder, { recursive: true }));
    await night(FIRST);
    mall.serve('/mall.json', { b: 5, c: 7, d: 9 });
    await night(addDays(FIRST, 1), { workFolder });
    mall.breakForGood('/mall.json', faults.status(503));
    expect(await night(addDays(FIRST, 2))).toMatchObject({ status: 'published', events: { upsert: 0, delete: 0 } });
    expect((await newest()).pricing).toHaveLength(5);
  });

  test('loses no record where the store has no file of it: what reads it is not captured', async () => {
    await night(FIRST);
    const { release } = await newest();
    await rm(join(store.folder, releaseKey(release, RELEASE_PATHS.fetched('mall.json'))));
    mall.breakForGood('/mall.json', faults.status(503));
    place.server.serve('/shop.json', { a: 3 });
    const workFolder = await mkdtemp(join(tmpdir(), 'modelstats-work-'));
    onTestFinished(() => rm(workFolder, { recursive: true }));
    const why = /^mall\.json of mall could not be fetched from http.*: .* answered 503 .*, and its SELECT reads it$/;
    expect(await night(addDays(FIRST, 1), { workFolder })).toMatchObject({
      status: 'rejected',
      problems: [expect.stringMatching(why), expect.stringMatching(/source\.sql found no files$/)],
    });
  });
});

describe('an upstream that has never been there', () => {
  /** For three nights: what an upstream hasn't got isn't asked for again. */
  beforeEach(() => mall.break('/mall.json', ...Array(3).fill(faults.status(404))));

  test('is missing in the first nights, and all others begin without it', async () => {
    for (const day of [FIRST, addDays(FIRST, 1)]) {
      const result = await night(day);
      expect(result).toMatchObject({ status: 'published', records: { models: 2, pricing: 2 }, quarantined: 0 });
      expect(result.warnings.slice(0, 2)).toEqual([
        expect.stringMatching(
          /^mall\.json of mall could not be fetched from .*; there is no earlier one to stand in for it$/,
        ),
        'nothing of mall is captured before mall.json has been fetched once; all others go on',
      ]);
      const { release } = await newest();
      expect(release.fetched?.[1]).toMatchObject({ status: 'failed', never_fetched: true, failed_since: FIRST });
      expect(release.upstream_rows).toEqual({
        models: { shop: { rows: 2, day } },
        pricing: { shop: { rows: 2, day } },
      });
    }
    expect((await newest()).release.events).toEqual({ upsert: 0, delete: 0 });
    place.server.serve('/shop.json', { a: 1 });
    await night(addDays(FIRST, 2), { accept: true });
    expect((await newest()).release.events).toEqual({ upsert: 0, delete: 2 });
    mall.serve('/mall.json', { b: 5, c: 7 });
    expect(await night(addDays(FIRST, 3))).toMatchObject({ records: { models: 3, pricing: 3 }, quarantined: 0 });
    expect(await verifyAll()).toMatchObject({ ok: true, snapshots: 4 });
  });

  test('leaves a dataset that it alone fills not captured, rather than empty', async () => {
    const ranks = `-- rankings
SELECT id AS model_id, 'c' AS category, 1 AS rank, 'mall' AS upstream FROM read_csv('ranks.csv', filename = true);
`;
    await writeSource({ sql: SQL + ranks, more: [{ file: 'ranks.csv', columns: { id: 'VARCHAR' } }] });
    expect(await night(FIRST)).toMatchObject({ status: 'published', records: { models: 2, rankings: 0 } });
    const { release } = await newest();
    expect(release.captured).toEqual(['models', 'pricing']);
  });

  test('is the first thing that is told where its columns are unknown, and all refers to what it keeps away', async () => {
    await writeSource({ sql: SQL.replace(`read_json_objects('mall.json')`, `read_json('mall.json')`) });
    const why = 'mall\\.json of mall could not be fetched from http://[^ ]+: [^ ]+ answered 404';
    expect((await night(FIRST)).problems).toEqual([
      expect.stringMatching(
        `^models: not captured: ${why}, and its SELECT reads it; with its columns in source\\.json the other upstreams would go on$`,
      ),
      expect.stringMatching(/^pricing: 2 of 2 rows are bad/),
    ]);
  });
});

test('a stored file is found damaged by verify, and comes back from the night before', async () => {
  await night(FIRST);
  await night(addDays(FIRST, 1));
  const { release } = await newest();
  const path = RELEASE_PATHS.fetched('mall.json');
  await writeFile(join(store.folder, releaseKey(release, path)), 'other');
  expect((await verifyAll()).problems).toEqual([{ snapshot: release.day, message: expect.stringContaining(path) }]);
  await store.republish(release.day);
  expect(await readFile(join(store.folder, releaseKey(release, path)), 'utf8')).toBe('{"b":5,"c":7}');
  expect((await verifyAll()).problems).toEqual([]);
});

test('where a file may be carried, rows that do not name their upstreams reject the night, on good days too', async () => {
  await writeSource({ sql: SQL.replace(', [upstream] AS upstream', '') });
  expect(await night(FIRST)).toMatchObject({
    status: 'rejected',
    problems: [
      'source.sql (pricing): the column upstream is missing, which names the upstreams of each row: a fetched file has carry',
    ],
  });
});

/** The records in force without a point on the newest day. */
function withoutPoints(open: readonly Record<string, unknown>[]): readonly string[] {
  return open
    .filter(({ valid_from }) => valid_from === null)
    .map(({ dataset, key }) => `${dataset} ${[key].flat().join(':')}`)
    .sort();
}
