/** A store's life with real nights: pruned, proven, continued. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { runNight } from '../../pipeline/night/night.ts';
import type { NightResult } from '../../pipeline/night/night-result.ts';
import { prune } from '../../pipeline/upkeep/prune.ts';
import { type Verification, verify } from '../../pipeline/upkeep/verify.ts';
import { addDays, type Day } from '../../runtime/day.ts';
import type { CatalogEntry } from '../../schemas/catalog.ts';
import { type Retention, retainedFrom } from '../../schemas/retention.ts';
import { loadCatalog, swapCatalog } from '../../storage/catalog.ts';
import { CATALOG_KEY, releaseKey } from '../../storage/keys.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import { listReleases } from '../support/pipeline/published.ts';
import { storeWith } from '../support/pipeline/store-with.ts';
import { openTemporaryStore, type TemporaryStore } from '../support/pipeline/temporary-store.ts';
import { pruneDeps, verifyDeps } from '../support/pipeline/upkeep.ts';

/** Month-ends, a leap day, gaps of days and of more than a month. */
const DAYS = [
  '2023-12-30',
  '2023-12-31',
  '2024-01-30',
  '2024-01-31',
  '2024-02-28',
  '2024-02-29',
  '2024-03-01',
] as const;
const NEXT = '2024-03-02';
const TIGHT: Retention = { changesMonths: 1, snapshots: 2, states: 1 };

let nights: TemporaryStore;

beforeEach(async () => {
  nights = await openTemporaryStore();
  return () => nights.dispose();
});

/** The night of a day: two models, one score that moves every day, and a model that comes. */
function publishDay(day: Day, store = nights): Promise<NightResult> {
  const updated_at = `${day}T01:00:00Z`;
  return store.publish(day, {
    models: ['a', 'b', `of-${day}`].map((id) => ({ id, name: `Model ${id}`, updated_at })),
    benchmarks: [{ id: 'x', name: 'X', updated_at }],
    scores: [{ model_id: 'a', benchmark_id: 'x', value: Date.parse(day) / 86_400_000, updated_at }],
  });
}

function pruneStore({ now = `${NEXT}T06:00:00Z` } = {}) {
  const { store, workFolder } = nights.deps;
  return prune({ dryRun: false }, { ...pruneDeps(workFolder), clock: () => new Date(now), store, retention: TIGHT });
}

function verifyAll(): Promise<Verification> {
  return verify('all', { ...verifyDeps(nights.deps.workFolder), store: nights.deps.store });
}

async function partsByDay(): Promise<readonly string[]> {
  return (await listReleases(nights)).map(({ day, parts }) => [day, ...parts].join(' '));
}

/** All that a night decides: prune may only ever change the rest. */
function withoutParts({ parts: _, ...entry }: CatalogEntry) {
  return entry;
}

const PRUNED = [
  '2023-12-30',
  '2023-12-31 snapshot',
  '2024-01-30',
  '2024-01-31 snapshot',
  '2024-02-28 changes',
  '2024-02-29 snapshot changes',
  '2024-03-01 snapshot changes state',
];

describe('a store of real nights', { timeout: 120_000 }, () => {
  it('proves itself after a prune, keeps its month-ends, and the next night continues the series', async () => {
    for (const day of DAYS) await publishDay(day);
    expect(await verifyAll()).toMatchObject({ ok: true, snapshots: 7, replayed: 6 });
    const unpruned = await listReleases(nights);
    await pruneStore();
    expect(await partsByDay()).toEqual(PRUNED);
    expect((await listReleases(nights)).map(withoutParts)).toEqual(unpruned.map(withoutParts));
    expect(retainedFrom((await loadCatalog(nights.deps.store)).catalog)).toBe('2024-02-28');
    expect(await verifyAll()).toMatchObject({ ok: true, snapshots: 7, replayed: 1 });
    const result = await publishDay(NEXT);
    expect(result).toMatchObject({ status: 'published', first_seq: (unpruned.at(-1)?.last_seq ?? 0) + 1 });
    expect(await verifyAll()).toMatchObject({ ok: true, snapshots: 8, replayed: 2 });
  });

  it('publishes the same bytes whether it was pruned every day or never', async () => {
    const never = await openTemporaryStore();
    for (const day of DAYS.slice(0, 3)) {
      await publishDay(day);
      await pruneStore({ now: `${addDays(day, 1)}T06:00:00Z` });
      await publishDay(day, never);
    }
    const [pruned, whole] = [await listReleases(nights), await listReleases(never)];
    expect(pruned.map(withoutParts)).toEqual(whole.map(withoutParts));
    expect(pruned).not.toEqual(whole);
    await never.dispose();
  });
  describe('a night that is overtaken', () => {
    const request = () => {
      const source = join(nights.folder, '../source', DAYS[0]);
      return { day: DAYS[1], source, dryRun: false, accept: true, acceptSuspects: [] };
    };

    /** A night before whose swap something else is done, once. */
    async function overtake(by: () => Promise<unknown>): Promise<NightResult> {
      await publishDay(DAYS[0]);
      const { store } = nights.deps;
      let isFirst = true;
      const put: ObjectStore['put'] = async (key, ...rest) => {
        if (key === CATALOG_KEY && isFirst) {
          isFirst = false;
          await by();
        }
        return store.put(key, ...rest);
      };
      return runNight(request(), { ...nights.deps, store: storeWith(store, { put }) });
    }

    it('by one of the same day finds it published, and leaves an orphan without a mark', async () => {
      const { status } = await overtake(() => runNight(request(), nights.deps));
      expect(status).toBe('already_published');
      const releases = await listReleases(nights);
      expect(releases.map(({ day }) => day)).toEqual([DAYS[0], DAYS[1]]);
      const marks: string[] = [];
      for await (const { key } of nights.deps.store.list('releases/')) if (key.endsWith('/published')) marks.push(key);
      expect(marks).toEqual(releases.map((release) => releaseKey(release, 'published')));
      expect(await readdir(join(nights.folder, 'releases'))).toHaveLength(3);
    });

    it('by any other change of the catalog says so and publishes nothing, and does when it is run again', async () => {
      const { store } = nights.deps;
      const overtaken = overtake(async () => swapCatalog(store, await loadCatalog(store), {}));
      await expect(overtaken).rejects.toMatchObject({
        code: 'precondition_failed',
        message: 'the catalog changed while this night ran; run the night again',
      });
      expect(await listReleases(nights)).toHaveLength(1);
      expect(await publishDay(DAYS[1])).toMatchObject({ status: 'published' });
    });
  });
});
