import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addDays } from '../../runtime/day.ts';
import { AppError } from '../../runtime/errors.ts';
import { RETENTION, type Retention } from '../../schemas/retention.ts';
import { loadCatalog, swapCatalog } from '../../storage/catalog.ts';
import { CATALOG_KEY, RELEASE_PATHS, releaseKey } from '../../storage/keys.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import {
  keysOf,
  openSmallStore,
  RELEASE_FILES,
  type SmallStore,
  smallEntry,
} from '../../test/support/pipeline/small-store.ts';
import { storeWith } from '../../test/support/pipeline/store-with.ts';
import { upkeepDeps, withoutRun } from '../../test/support/pipeline/upkeep.ts';
import { prune } from './prune.ts';

const NOW = new Date('2026-03-10T06:00:00Z');
const HOUR_MS = 3_600_000;
/** Small enough for a store of a few days. */
const TIGHT: Retention = { changesMonths: 1, snapshots: 2, states: 1 };
const DAYS = ['2026-01-30', '2026-01-31', '2026-02-08', '2026-02-09', '2026-03-08', '2026-03-09'];

let small: SmallStore;
beforeEach(() => begin(DAYS));
afterEach(() => small.dispose());

async function begin(days: readonly string[]): Promise<void> {
  small = await openSmallStore();
  for (const day of days) await small.put({ day, run: 'RUN' }, { at: new Date(`${day}T23:59:59Z`) });
  await small.writeCatalog(days.map((day) => smallEntry(day)));
}

interface PruneOptions {
  readonly store?: ObjectStore;
  readonly retention?: Retention;
  readonly dryRun?: boolean;
  readonly now?: Date;
}

function pruneNow({ store = small.store, retention = TIGHT, dryRun = false, now = NOW }: PruneOptions = {}) {
  const deps = { ...upkeepDeps(small.workFolder), store, retention, clock: () => now };
  return withoutRun(prune({ dryRun }, { ...deps, onPlan: () => {}, onRemoval: () => {} }));
}

async function liveReleases() {
  return (await loadCatalog(small.store)).catalog?.releases ?? [];
}

describe('prune', () => {
  it('leaves exactly the objects of the parts that the catalog lists afterwards', async () => {
    await pruneNow();
    const releases = await liveReleases();
    expect(releases.map(({ day, parts }) => `${day} ${parts.join(' ')}`)).toEqual([
      '2026-01-30 ',
      '2026-01-31 snapshot',
      '2026-02-08 ',
      '2026-02-09 snapshot changes',
      '2026-03-08 snapshot changes',
      '2026-03-09 snapshot changes state',
    ]);
    const kept = await small.keys();
    expect(kept).toEqual([...releases.flatMap(keysOf)].sort());
    for (const path of [RELEASE_PATHS.history('scores'), RELEASE_PATHS.release]) {
      for (const day of DAYS) expect(kept).toContain(releaseKey({ day, run: 'RUN' }, path));
    }
  });

  it('follows the numbers of the retention over more than 400 days', { timeout: 120_000 }, async () => {
    const days = Array.from({ length: 430 }, (_, index) => addDays('2024-01-30', index));
    await small.dispose();
    await begin(days);
    const { retained_from } = await pruneNow({ retention: RETENTION, now: new Date(`${days.at(-1)}T06:00:00Z`) });
    const releases = await liveReleases();
    expect(releases.filter(({ parts }) => parts.includes('snapshot'))).toHaveLength(90 + 12);
    expect(releases.filter(({ parts }) => parts.includes('state'))).toHaveLength(7);
    expect(days.at(-1)).toBe('2025-04-03');
    expect(retained_from).toBe('2024-03-03');
    expect(await small.keys()).toEqual([...releases.flatMap(keysOf)].sort());
  });

  it('changes nothing in a dry run, and lists exactly what the next run removes', async () => {
    await small.put(
      { day: '2026-03-09', run: 'LOST' },
      { at: new Date(0), paths: ['release.json', 'changes.parquet'] },
    );
    const [keys, before] = [await small.keys(), await loadCatalog(small.store)];
    const planned = await pruneNow({ dryRun: true });
    expect(await small.keys()).toEqual(keys);
    expect(await loadCatalog(small.store)).toEqual(before);
    expect({ ...(await pruneNow()), dry_run: true }).toEqual(planned);
    const gone = planned.removals.flatMap((removal) => removal.keys);
    expect([...gone, ...(await small.keys())].sort()).toEqual(keys);
    expect(planned.removals.find(({ what }) => what === 'orphan')?.bytes).toBe('release.jsonchanges.parquet'.length);
  });

  it('does not even swap the catalog where there is nothing to remove', async () => {
    await pruneNow();
    const before = await loadCatalog(small.store);
    expect((await pruneNow()).removals).toEqual([]);
    expect(await loadCatalog(small.store)).toEqual(before);
  });

  it('does nothing to an empty store', async () => {
    await small.dispose();
    small = await openSmallStore();
    expect(await pruneNow()).toEqual({ dry_run: false, removals: [], suspicious: [], retained_from: null });
  });
});

describe('orphans', () => {
  const young = new Date(NOW.getTime() - 24 * HOUR_MS);
  const old = new Date(NOW.getTime() - 24 * HOUR_MS - 1000);
  const unpublished = RELEASE_FILES.filter((path) => path !== RELEASE_PATHS.published);
  const orphan = { day: '2026-03-09', run: 'LOST' };
  const orphanKeys = async () => (await small.keys()).filter((key) => key.startsWith(releaseKey(orphan, '')));

  it('go whole when their newest object is more than a day old', async () => {
    await small.put(orphan, { at: old, paths: unpublished });
    const { removals } = await pruneNow({ retention: RETENTION });
    expect(removals).toMatchObject([{ name: '2026-03-09.LOST', what: 'orphan' }]);
    expect(removals[0]?.reason).toBe('never published, last written 2026-03-09T05:59:59Z');
    expect(await orphanKeys()).toEqual([]);
    expect(await liveReleases()).toHaveLength(DAYS.length);
  });

  it('stay whole while their newest object is younger: a running night never loses a file', async () => {
    await small.put(orphan, { at: new Date(0), paths: unpublished });
    await small.put(orphan, { at: young, paths: ['history/scores.parquet'] });
    expect((await pruneNow({ retention: RETENTION })).removals).toEqual([]);
    expect(await orphanKeys()).toHaveLength(unpublished.length);
  });

  it('lose release.json first, so that none deleted half-way looks complete', async () => {
    await small.put(orphan, { at: old, paths: unpublished });
    const deleted: string[] = [];
    const store = storeWith(small.store, {
      delete: async (key) => {
        deleted.push(key);
        throw new AppError('store_unavailable', 'the store is gone');
      },
    });
    await expect(pruneNow({ store, retention: RETENTION })).rejects.toThrow('the store is gone');
    expect(deleted).toEqual([releaseKey(orphan, RELEASE_PATHS.release)]);
  });

  it('are never touched where one carries the mark of a published release; that one is reported', async () => {
    await small.put(orphan, { at: old });
    await small.put({ ...orphan, run: 'OTHER' }, { at: old, paths: unpublished });
    const keys = await small.keys();
    const { removals, suspicious } = await pruneNow({ retention: RETENTION, dryRun: true });
    expect(removals).toEqual([]);
    expect(suspicious).toMatchObject([{ name: '2026-03-09.LOST' }]);
    await expect(pruneNow({ retention: TIGHT })).rejects.toMatchObject({
      code: 'corrupt',
      message: expect.stringMatching(/2026-03-09\.LOST was published.*modelstats catalog rebuild$/),
    });
    expect(await small.keys()).toEqual(keys);
  });

  it('are never touched in a store that has lost its catalog', async () => {
    await small.store.delete(CATALOG_KEY);
    await small.put(orphan, { at: old, paths: unpublished });
    const keys = await small.keys();
    const { removals, suspicious } = await pruneNow({ dryRun: true });
    expect(removals).toEqual([]);
    expect(suspicious.map(({ name }) => name)).toEqual(DAYS.map((day) => `${day}.RUN`));
    await expect(pruneNow()).rejects.toThrow('no catalog; rebuild it first: modelstats catalog rebuild');
    expect(await small.keys()).toEqual(keys);
  });

  it('are no keys that merely look like releases', async () => {
    await small.store.put('releases/readme.txt', Buffer.from('not ours'));
    await small.store.put('backfill/notes.txt', Buffer.from('not ours'));
    await pruneNow({ now: new Date('2030-01-01T00:00:00Z') });
    expect(await small.store.head('releases/readme.txt')).toBeDefined();
    expect(await small.store.head('backfill/notes.txt')).toBeDefined();
  });
});

describe('backfills', () => {
  const aYearLater = new Date('2027-03-10T06:00:00Z');
  const inForce = { run: 'RUN2', bytes: 3, sha256: '0'.repeat(64), intervals: 1, table_sha256: '0'.repeat(64) };
  const pricing = { ...inForce, first_day: '2020-01-01', last_day: '2020-01-01' };
  const put = (run: string, suffixes: readonly string[] = ['parquet', 'json']) =>
    Promise.all(suffixes.map((suffix) => small.store.put(`backfill/pricing.${run}.${suffix}`, Buffer.from('old'))));
  const stored = async () => {
    const keys: string[] = [];
    for await (const { key } of small.store.list('backfill/')) keys.push(key);
    return keys;
  };
  beforeEach(async () => {
    await swapCatalog(small.store, await loadCatalog(small.store), { backfill: { pricing } });
    await put('RUN2');
  });

  it('that were replaced or never published go a day after their last write; the one in force stays', async () => {
    await put('RUN1');
    await put('RUN3', ['parquet']);
    expect((await pruneNow({ retention: RETENTION, now: new Date() })).removals).toEqual([]);
    const { removals } = await pruneNow({ retention: RETENTION, now: aYearLater });
    expect(removals.map(({ name, what, reason, bytes }) => [name, what, reason.split(',')[0], bytes])).toEqual([
      ['pricing.RUN1', 'backfill', 'replaced by a later one', 6],
      ['pricing.RUN3', 'backfill', 'never published', 3],
    ]);
    expect(await stored()).toEqual(['backfill/pricing.RUN2.json', 'backfill/pricing.RUN2.parquet']);
    expect((await loadCatalog(small.store)).catalog?.backfill).toEqual({ pricing });
  });

  it('that were live later than the one in force are reported, and then no orphan goes', async () => {
    await put('RUN1');
    await put('RUN3');
    const { removals, suspicious } = await pruneNow({ retention: RETENTION, now: aYearLater });
    expect({ removals, suspicious }).toMatchObject({ removals: [], suspicious: [{ name: 'pricing.RUN3' }] });
    expect(await stored()).toHaveLength(6);
  });
});

describe('a prune that dies', () => {
  it('between the swap and the deletes leaves only what the next one removes', async () => {
    let deletesLeft = 3;
    const store = storeWith(small.store, {
      delete: async (key) => {
        deletesLeft -= 1;
        if (deletesLeft < 0) throw new AppError('store_unavailable', 'killed');
        await small.store.delete(key);
      },
    });
    await expect(pruneNow({ store })).rejects.toThrow('killed');
    const releases = await liveReleases();
    const left = (await small.keys()).length - releases.flatMap(keysOf).length;
    expect(left).toBeGreaterThan(0);
    const { removals } = await pruneNow();
    expect(new Set(removals.map(({ reason }) => reason))).toEqual(
      new Set(['left over: the catalog no longer lists it']),
    );
    expect(await small.keys()).toEqual([...releases.flatMap(keysOf)].sort());
    expect(await liveReleases()).toEqual(releases);
  });

  it('before the swap has changed nothing', async () => {
    const keys = await small.keys();
    const store = storeWith(small.store, { put: () => Promise.reject(new AppError('store_unavailable', 'killed')) });
    await expect(pruneNow({ store })).rejects.toThrow('killed');
    expect(await small.keys()).toEqual(keys);
    expect((await liveReleases()).every(({ parts }) => parts.length === 3)).toBe(true);
  });
});

describe('a prune that races', () => {
  const next = { day: '2026-03-10', run: 'NEXT' };

  async function publishNext(): Promise<void> {
    await small.put(next, { at: NOW });
    const loaded = await loadCatalog(small.store);
    await swapCatalog(small.store, loaded, {
      releases: [...(loaded.catalog?.releases ?? []), smallEntry(next.day, next.run)],
    });
  }

  it('plans anew with the night that published in between', async () => {
    let isFirst = true;
    const put: ObjectStore['put'] = async (...args) => {
      if (isFirst) await publishNext();
      isFirst = false;
      return small.store.put(...args);
    };
    const { removals } = await pruneNow({ store: storeWith(small.store, { put }) });
    const releases = await liveReleases();
    expect(releases.at(-1)).toMatchObject({ ...next, parts: ['snapshot', 'changes', 'state'] });
    expect(releases.at(-2)).toMatchObject({ day: '2026-03-09', parts: ['snapshot', 'changes'] });
    expect(removals.map(({ name }) => name)).not.toContain('2026-03-10.NEXT');
    expect(await small.keys()).toEqual([...releases.flatMap(keysOf)].sort());
  });

  it('never deletes files of a night that can still publish, however long that night slept', async () => {
    await pruneNow();
    await small.put(next, { at: new Date(0), paths: ['release.json', 'changes.parquet'] });
    const sleeping = await loadCatalog(small.store);
    expect((await pruneNow()).removals).toMatchObject([{ what: 'orphan' }]);
    const releases = [...(sleeping.catalog?.releases ?? []), smallEntry(next.day, next.run)];
    await expect(swapCatalog(small.store, sleeping, { releases })).rejects.toMatchObject({
      code: 'precondition_failed',
    });
  });

  it('against a night that is published and marked between its two looks prunes with that night', async () => {
    let isFirst = true;
    const list: ObjectStore['list'] = async function* (...args) {
      if (isFirst) await publishNext();
      isFirst = false;
      yield* small.store.list(...args);
    };
    await pruneNow({ store: storeWith(small.store, { list }) });
    expect((await liveReleases()).map(({ day }) => day)).toEqual([...DAYS, next.day]);
  });

  it('against another prune ends as one alone would', async () => {
    await Promise.all([pruneNow(), pruneNow(), pruneNow()]);
    const releases = await liveReleases();
    expect(await small.keys()).toEqual([...releases.flatMap(keysOf)].sort());
    expect((await pruneNow()).removals).toEqual([]);
  });
});
