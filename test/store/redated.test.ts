/** A store with nights under a clock of years ahead, and the way back: for those who followed them, and those who didn't. */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { ControlDatabase } from '../../api/database/control-database.ts';
import { openDatabase } from '../../api/database/open-database.ts';
import { rebuildCatalog } from '../../pipeline/upkeep/catalog-rebuild.ts';
import { mirror } from '../../pipeline/upkeep/mirror.ts';
import { planPrune } from '../../pipeline/upkeep/prune.ts';
import { type Redated, redate } from '../../pipeline/upkeep/redate.ts';
import { listStoredObjects } from '../../pipeline/upkeep/stored-objects.ts';
import { verify } from '../../pipeline/upkeep/verify.ts';
import { AppError } from '../../runtime/errors.ts';
import { DATASET_NAMES } from '../../schemas/datasets.ts';
import { RETENTION } from '../../schemas/retention.ts';
import { loadCatalog } from '../../storage/catalog.ts';
import { sqlText } from '../../storage/duckdb/database.ts';
import { text } from '../../storage/duckdb/row-shape.ts';
import { CATALOG_KEY, RELEASE_PATHS, releaseKey } from '../../storage/keys.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import { openStore } from '../../storage/open-store.ts';
import { linesOf, openService, type Service, syncInto } from '../support/client/service.ts';
import { expectReplay, readFeed } from '../support/pipeline/consumer.ts';
import { entryOfDay, listReleases, newestOf, readRelease, readSnapshot } from '../support/pipeline/published.ts';
import { beforePut } from '../support/pipeline/store-with.ts';
import { copyTemporaryStore, openTemporaryStore, type TemporaryStore } from '../support/pipeline/temporary-store.ts';
import { upkeepDeps, verifyDeps } from '../support/pipeline/upkeep.ts';
import type { DayRows } from '../support/pipeline/write-day.ts';
import { itemsOf, openPublic } from '../support/site/use-public.ts';
import { newFolder, useFolder } from '../support/temporary-folder.ts';
import { openPublisher } from '../support/webhooks/publisher.ts';
import { addSubscriber, readTold } from '../support/webhooks/subscribers.ts';

const FIRST = '2026-06-01';
const SECOND = '2026-06-02';
/** What two nights of a clock that had jumped took for their days; it was the third, and the fourth. */
const FUTURE = ['2031-01-01', '2031-01-02'] as const;
const RIGHT = ['2026-06-03', '2026-06-04'] as const;
const TODAY = '2026-06-05';

/** Every night a price moves and a score is there that wasn't; the night of today finds what the first had. */
function rowsOf(night: number): DayRows {
  const ids = ['a', 'b', 'c'];
  return {
    models: [...ids, `of-${night}`].map((id) => ({ id, name: `Model ${id}` })),
    benchmarks: [{ id: 'x', name: 'X' }],
    scores: ids.slice(0, (night % 3) + 1).map((model_id) => ({ model_id, benchmark_id: 'x', value: night, n: night })),
    rankings: [{ model_id: 'a', category: 'general', rank: 1 }],
    pricing: [{ model_id: 'a', provider: 'p', input_per_million: 1 + night }],
  };
}

/** The store with the wrong days, and with the right ones, both made once; each test has a copy of the first. */
let wrong: TemporaryStore;
let right: TemporaryStore;
let redated: Redated;
let store: TemporaryStore;

const clock = () => new Date(`${TODAY}T09:00:00Z`);
const deps = ({ deps: { workFolder, duckdb, ...given } } = store, objects: ObjectStore = given.store) => ({
  ...upkeepDeps(workFolder),
  store: objects,
  duckdb,
  clock,
  uploadsMax: 2,
});

beforeAll(async () => {
  wrong = await openTemporaryStore();
  for (const [night, day] of [FIRST, SECOND, ...FUTURE].entries()) await wrong.publish(day, rowsOf(night));
  right = await copyTemporaryStore(wrong);
  // On the day that the newest of them gets, which is no longer in the future.
  const onThatDay = () => new Date(`${RIGHT[1]}T09:00:00Z`);
  redated = await redate({ day: FUTURE[0], to: RIGHT[0] }, { ...deps(right), clock: onThatDay });
});
afterAll(() => Promise.all([wrong.dispose(), right.dispose()]));
beforeEach(async () => {
  store = await copyTemporaryStore(wrong);
  return () => store.dispose();
});

/** Puts into a store what giving the right days wrote into the other. */
const giveRightDays = (into = store) => cp(right.folder, into.folder, { recursive: true });

/** The right days with the night of today, made for the first test that needs it. */
let withToday: TemporaryStore | undefined;
afterAll(() => withToday?.dispose());
async function giveToday(into = store): Promise<void> {
  if (withToday === undefined) {
    withToday = await copyTemporaryStore(right);
    await withToday.publish(TODAY, rowsOf(4));
  }
  await cp(withToday.folder, into.folder, { recursive: true });
}
const days = async () => (await listReleases(store)).map(({ day }) => day);

async function expectWhole(): Promise<void> {
  const releases = await listReleases(store);
  const verified = await verify('all', { ...verifyDeps(store.deps.workFolder), store: store.deps.store });
  expect(verified).toMatchObject({ ok: true, replayed: releases.length - 1, problems: [] });
  await expectReplay(store);
}

describe('snapshots of days in the future', () => {
  test('stand in the way of every night of a right clock', async () => {
    await expect(store.publish(TODAY, rowsOf(9))).rejects.toThrow(/is before the newest snapshot 2031-01-02/);
  });

  test('get their right days: numbers, events and records stay, byte for byte', async () => {
    const before = await listReleases(store);
    const feed = await readFeed(store, before);
    await giveRightDays();
    expect(redated).toMatchObject({
      redated: [
        { from: FUTURE[0], to: RIGHT[0] },
        { from: FUTURE[1], to: RIGHT[1] },
      ],
    });
    const after = await listReleases(store);
    expect(after.map(({ day }) => day)).toEqual([FIRST, SECOND, ...RIGHT]);
    expect(await readFeed(store, after)).toEqual(feed);
    for (const [index, entry] of after.entries()) {
      expect(await readSnapshot(store, entry, 'models')).toBe(
        await readSnapshot(store, before[index] ?? entry, 'models'),
      );
    }
    await expectWhole();
    // No day of the future is said any more but in what was given out.
    for (const entry of (await listReleases(store)).slice(2)) {
      const { redated_from, ...release } = await readRelease(store, entry);
      expect(redated_from?.day).toMatch(/^2031/);
      expect(JSON.stringify(release)).not.toContain('2031-');
      for (const name of DATASET_NAMES) {
        const file = (path: string) => `read_parquet(${sqlText(join(store.folder, releaseKey(entry, path)))})`;
        const found = await store.reader.rows(
          { day: text },
          `SELECT valid_from::VARCHAR AS day FROM ${file(RELEASE_PATHS.state(name))} UNION ALL
           SELECT unnest([valid_from::VARCHAR, valid_to::VARCHAR]) FROM ${file(RELEASE_PATHS.history(name))}`,
        );
        expect(found.filter(({ day }) => day.startsWith('2031'))).toEqual([]);
      }
    }
  });

  test('let the night of today go on, which puts times right that lie in the future', async () => {
    await giveRightDays();
    await store.publish(TODAY, rowsOf(3));
    const newest = await newestOf(store);
    // The same rows as those of the last night: nothing but times was wrong.
    const models = await readSnapshot(store, newest, 'models');
    expect(models).toContain('"id":"of-3"');
    for (const name of ['models', 'scores', 'pricing', 'rankings', 'benchmarks'] as const) {
      expect(await readSnapshot(store, newest, name)).not.toContain('"updated_at":"2031-');
    }
    expect(newest.last_seq).toBeGreaterThan(newest.first_seq ?? 0);
    await expectWhole();
    // And once: another such night changes nothing.
    expect(await store.publish('2026-06-06', rowsOf(3))).toMatchObject({ events: { upsert: 0, delete: 0 } });
  });

  test.each([
    [SECOND, RIGHT[0], /^2026-06-02 is not in the future/],
    ['2031-01-05', RIGHT[0], /there is no snapshot 2031-01-05/],
    [FUTURE[0], SECOND, /can't become 2026-06-02: it has to lie after 2026-06-02/],
    [FUTURE[0], TODAY, /the newest snapshot would be of 2026-06-06, and today is 2026-06-05/],
    [FUTURE[0], 'tomorrow', /tomorrow is not a day such as/],
  ])('%s does not become %s', async (day, to, message) => {
    await expect(redate({ day, to }, deps())).rejects.toThrow(message);
    expect(await days()).toEqual([FIRST, SECOND, ...FUTURE]);
  });

  test('that are all there is stay: they name the store', async () => {
    const lone = await openTemporaryStore();
    onTestFinished(() => lone.dispose());
    await lone.publish(FIRST, rowsOf(0));
    const before = { ...deps(lone), clock: () => new Date('2026-05-30T09:00:00Z') };
    await expect(redate({ day: FIRST, to: '2026-05-29' }, before)).rejects.toThrow(
      /is the first snapshot.*begin a new store/,
    );
  });

  test('killed at any write it has changed nothing, or all; run again it does its work', async () => {
    const released = (await readRelease(store, await newestOf(store))).files.length;
    for (const fatal of [1, released, 2 * released + 3]) {
      let writes = 0;
      const dying = beforePut(store.deps.store, () => {
        writes += 1;
        if (writes >= fatal) throw new AppError('store_unavailable', 'killed');
      });
      await expect(redate({ day: FUTURE[0], to: RIGHT[0] }, deps(store, dying))).rejects.toThrow('killed');
      expect(await days()).toEqual([FIRST, SECOND, ...FUTURE]);
    }
    await redate({ day: FUTURE[0], to: RIGHT[0] }, deps());
    await expectWhole();
  });
});

describe('those who had followed', () => {
  const path = useFolder();
  let followed: TemporaryStore;
  let service: Service;
  const syncs: Record<string, unknown> = {};
  const equal: Record<string, boolean> = {};
  let served: readonly unknown[];

  /** Syncs a copy, and notes whether it then equals the newest snapshot. */
  const sync = async (name: string, to = 'copy.duckdb') => {
    syncs[name] = await syncInto(path(to), service.client());
    const [newest, lines] = [await newestOf(followed), await linesOf(path(to))];
    const isSame = DATASET_NAMES.map(
      async (dataset) => lines[dataset] === (await readSnapshot(followed, newest, dataset)),
    );
    equal[name] = !(await Promise.all(isSame)).includes(false);
  };

  beforeAll(async () => {
    followed = await copyTemporaryStore(wrong);
    service = await openService({ store: followed.url, now: `${TODAY}T12:00:00Z` });
    await sync('first');
    await cp(path('copy.duckdb'), path('late.duckdb'));
    await giveRightDays(followed);
    await service.api.follower.refresh();
    expect(service.api.follower.problem).toBeUndefined();
    await sync('idle');
    await sync('idle again');
    const client = service.client();
    served = [(await client.listSnapshots({}, {})).body, (await client.getModelHistory('a', { kind: 'pricing' })).body];
    await service.publish(() => giveToday(followed));
    await sync('next');
    await service.publish(() => followed.publish(FUTURE[1], rowsOf(5)));
    await sync('late', 'late.duckdb');
    return () => Promise.all([service.close(), followed.dispose()]);
  }, 120_000);

  test('a copy goes on from its cursor: with nothing to do, then with the next night', () => {
    expect(syncs['first']).toMatchObject({ status: 'imported', snapshot_id: FUTURE[1] });
    const warnings = [expect.stringContaining(`${RIGHT[1]}, is older than the copy, ${FUTURE[1]}`)];
    for (const name of ['idle', 'idle again']) expect(syncs[name]).toMatchObject({ status: 'up_to_date', warnings });
    expect(syncs['next']).toMatchObject({ status: 'followed', snapshot_id: TODAY });
    expect(equal['next']).toBe(true);
  });

  test('a copy of a wrong day follows the night of that day when it comes', () => {
    expect(syncs['late']).toMatchObject({ status: 'followed', snapshot_id: FUTURE[1] });
    expect(equal['late']).toBe(true);
  });

  test('the API serves the right days without a restart, and none of the wrong ones', () => {
    const [listed, history] = served.map((body) => JSON.stringify(body));
    const { snapshots } = served[0] as { snapshots: readonly { id: string }[] };
    expect(snapshots.map(({ id }) => id)).toEqual([...RIGHT, FIRST, SECOND].toSorted().toReversed());
    expect(`${listed}${history}`).not.toContain('2031-');
    expect(history).toContain(RIGHT[1]);
  });
});

test('feeds have each night under its right day', async () => {
  await giveRightDays();
  const api = await openPublic({ store: store.url, now: `${TODAY}T12:00:00Z` });
  const items = await itemsOf(api, '/feeds/models');
  expect(items.map(({ title, date_published }) => [date_published.slice(0, 10), title.slice(0, 4)])).toEqual(
    [RIGHT[1], RIGHT[0], SECOND].flatMap((day) => [
      [day, 'New '],
      [day, 'Gone'],
    ]),
  );
});

describe('webhooks', () => {
  let control: ControlDatabase;
  beforeEach(async () => {
    control = await openDatabase(`sqlite:${join(store.folder, '..', 'control.db')}`);
    await addSubscriber(control, 'one');
    return () => control.close();
  });
  const publishedSnapshots = async () =>
    (await readTold(control))
      .filter(({ topic }) => topic === 'snapshot.published')
      .map(({ data }) => Object(data).snapshot_id)
      .toSorted();

  test('are told of each night once, whatever its day was when it was told', async () => {
    const { publisher } = openPublisher(store, control, { clock });
    await publisher.poll();
    const told = await readTold(control);
    expect(await publishedSnapshots()).toEqual([SECOND, ...FUTURE]);
    await giveRightDays();
    expect(await publisher.poll()).toBe('idle');
    await giveToday();
    expect(await publisher.poll()).toBe('published');
    expect(await readTold(control)).toEqual(expect.arrayContaining([...told]));
    expect(await publishedSnapshots()).toEqual([SECOND, TODAY, ...FUTURE]);
  });

  test('go on from a wrong day also where that day has come since', async () => {
    await openPublisher(store, control, { clock }).publisher.poll();
    await giveRightDays();
    await store.publish(FUTURE[1], rowsOf(4));
    expect(await openPublisher(store, control, { clock }).publisher.poll()).toBe('published');
    expect(await publishedSnapshots()).toEqual([SECOND, ...FUTURE, FUTURE[1]]);
  });
});

describe('the store itself', () => {
  test('is pruned of what the releases were under their wrong days, and of nothing else', async () => {
    await giveRightDays();
    const { catalog } = await loadCatalog(store.deps.store);
    const stored = await listStoredObjects(store.deps.store);
    const now = new Date(Date.now() + 3 * 86_400_000);
    const plan = planPrune({ catalog, stored, retention: RETENTION, now });
    expect(plan.suspicious).toEqual([]);
    expect(plan.removals.map(({ name, reason }) => `${name.slice(0, 10)} ${reason.split(',')[0]}`)).toEqual(
      FUTURE.map((day) => `${day} published under another day`),
    );
  });

  test('is mirrored into a mirror that has the wrong days', async () => {
    const second = await newFolder();
    const other = await openStore(`file:${second}`);
    await cp(store.folder, second, { recursive: true });
    await giveRightDays();
    const to = { ...deps(), from: store.deps.store, to: other, copiesMax: 2, onRelease: () => {} };
    expect(await mirror(to)).toMatchObject({ releases: 4, newest: RIGHT[1], swapped: true });
    expect((await loadCatalog(other)).catalog?.releases).toEqual(
      (await loadCatalog(store.deps.store)).catalog?.releases,
    );
    expect(await mirror(to)).toMatchObject({ copied: 0, swapped: false });
  });

  test('has its catalog, and damaged files of such a release, rebuilt with the right days', async () => {
    await giveRightDays();
    await giveToday();
    await store.deps.store.delete(CATALOG_KEY);
    const { orphans } = await rebuildCatalog({ force: true }, deps());
    expect(orphans.map((id) => id.slice(0, 10))).toEqual([...FUTURE]);
    expect(await days()).toEqual([FIRST, SECOND, ...RIGHT, TODAY]);
    for (const day of [RIGHT[1], TODAY]) {
      const entry = await entryOfDay(store, day);
      for (const path of [RELEASE_PATHS.state('pricing'), RELEASE_PATHS.changes, RELEASE_PATHS.history('scores')]) {
        await store.deps.store.delete(releaseKey(entry, path));
        await store.republish(day);
      }
    }
    await expectWhole();
  });
});
