import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { runNight } from '../../pipeline/night/night.ts';
import { readStatus } from '../../pipeline/upkeep/status.ts';
import { verify } from '../../pipeline/upkeep/verify/verify.ts';
import { addDays } from '../../schemas/day.ts';
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

function writeSource({ sql }: { readonly sql: string }): Promise<void> {
  const upstreams = ['shop', 'mall'].map((id) => ({ id, name: id, url: 'https://upstream.test' }));
  const carried = { upstream: 'mall', url: `${mall.url}/mall.json`, file: 'mall.json', optional: true, carry: true };
  const fetch = [{ upstream: 'shop', url: `${place.server.url}/shop.json`, file: 'shop.json' }, carried];
  return place.source([], { 'source.sql': sql, 'source.json': JSON.stringify({ upstreams, fetch }) });
}

const FIRST = '2026-06-01';

function night(day: string) {
  return runNight(
    { day, source: place.root, dryRun: false, accept: false, acceptSuspects: [] },
    { ...store.deps, clock: () => new Date(`${day}T00:05:00Z`), fetching: FETCH_SETUP },
  );
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
    const { store: objects, clock, duckdb, workFolder } = store.deps;
    const deps = { ...upkeepDeps(workFolder), store: objects, clock, duckdb, onPlan: () => {}, onSnapshot: () => {} };
    expect(await verify('all', deps)).toMatchObject({ ok: true, snapshots: 3 });
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

  test('on the very first day has no file at all, and what reads it is not captured', async () => {
    mall.breakForGood('/mall.json', faults.status(404));
    expect(await night(FIRST)).toMatchObject({
      status: 'rejected',
      problems: [expect.stringMatching(/source\.sql found no files$/)],
    });
  });
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
