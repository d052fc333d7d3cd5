/** A store's life with real nights: pruned, damaged, repaired, proven, continued. */
import { mkdtemp, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runNight } from '../../pipeline/night/night.ts';
import { prune } from '../../pipeline/upkeep/prune.ts';
import { type Verification, verify } from '../../pipeline/upkeep/verify.ts';
import { addDays, type Day } from '../../runtime/day.ts';
import type { CatalogEntry } from '../../schemas/catalog.ts';
import { type Retention, retainedFrom } from '../../schemas/retention.ts';
import { loadCatalog } from '../../storage/catalog.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import { listReleases } from '../support/pipeline/published.ts';
import { storeWith } from '../support/pipeline/store-with.ts';
import { openTemporaryStore, type TemporaryStore } from '../support/pipeline/temporary-store.ts';
import { pruneDeps, verifyDeps } from '../support/pipeline/upkeep.ts';
import { writeDay } from '../support/pipeline/write-day.ts';

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
let source: string;

beforeEach(async () => {
  nights = await openTemporaryStore();
  source = await mkdtemp(join(tmpdir(), 'modelstats-source-'));
  for (const day of [...DAYS, NEXT]) await writeSourceDay(day);
});
afterEach(() => Promise.all([nights.dispose(), rm(source, { recursive: true, force: true })]));

/** Two models; every day one score moves, and a model comes. */
async function writeSourceDay(day: Day): Promise<void> {
  const updated_at = `${day}T01:00:00Z`;
  await writeDay(join(source, day), {
    models: ['a', 'b', `of-${day}`].map((id) => ({ id, name: `Model ${id}`, updated_at })),
    benchmarks: [{ id: 'x', name: 'X', updated_at }],
    scores: [{ model_id: 'a', benchmark_id: 'x', value: Date.parse(day) / 86_400_000, updated_at }],
  });
}

/** The nights of these days, on a new store. */
async function publishDays(days: readonly Day[]): Promise<void> {
  for (const day of days)
    expect(await nights.night(source, day, { accept: true })).toMatchObject({ status: 'published' });
}

function pruneStore({ now = `${NEXT}T06:00:00Z` } = {}) {
  const { store, workFolder } = nights.deps;
  return prune({ dryRun: false }, { ...pruneDeps(workFolder), clock: () => new Date(now), store, retention: TIGHT });
}

function verifyAll(store: ObjectStore = nights.deps.store): Promise<Verification> {
  return verify('all', { ...verifyDeps(nights.deps.workFolder), store });
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

// A night takes a second or two on a busy machine, and a life has many.
const TIMEOUT = { timeout: 120_000 };

describe('a store of real nights', TIMEOUT, () => {
  it('proves itself after a prune, keeps its month-ends, and the next night continues the series', async () => {
    await publishDays(DAYS);
    expect(await verifyAll()).toMatchObject({ ok: true, snapshots: 7, replayed: 6 });
    const unpruned = await listReleases(nights);
    await pruneStore();
    expect(await partsByDay()).toEqual(PRUNED);
    expect((await listReleases(nights)).map(withoutParts)).toEqual(unpruned.map(withoutParts));
    expect(retainedFrom((await loadCatalog(nights.deps.store)).catalog)).toBe('2024-02-28');
    expect(await verifyAll()).toMatchObject({ ok: true, snapshots: 7, replayed: 1 });
    const result = await nights.night(source, NEXT, { accept: true });
    expect(result).toMatchObject({ status: 'published', first_seq: (unpruned.at(-1)?.last_seq ?? 0) + 1 });
    expect(await verifyAll()).toMatchObject({ ok: true, snapshots: 8, replayed: 2 });
  });

  it('publishes the same bytes whether it was pruned every day or never', async () => {
    const never = await openTemporaryStore();
    for (const day of DAYS.slice(0, 3)) {
      await nights.night(source, day, { accept: true });
      await pruneStore({ now: `${addDays(day, 1)}T06:00:00Z` });
      await never.night(source, day, { accept: true });
    }
    const [pruned, whole] = [await listReleases(nights), await listReleases(never)];
    expect(pruned.map(withoutParts)).toEqual(whole.map(withoutParts));
    expect(pruned).not.toEqual(whole);
    await never.dispose();
  });
});

describe('a night and a prune at once', TIMEOUT, () => {
  /** The night's store, where something happens just before the night swaps the catalog. */
  function interrupted(beforeSwap: () => Promise<unknown>): ObjectStore {
    const { store } = nights.deps;
    return storeWith(store, {
      put: async (key, bytes, condition) => {
        if (key === 'catalog.json') await beforeSwap();
        return store.put(key, bytes, condition);
      },
    });
  }

  const nightOn = (day: Day, store: ObjectStore) =>
    runNight(
      { day, source, dryRun: false, accept: true, acceptSuspects: [] },
      { ...nights.deps, store, clock: () => new Date(`${addDays(day, 1)}T00:20:00Z`) },
    );

  it('a prune that swaps first makes the night fail clearly; the rerun publishes, and a day later its leavings go', async () => {
    await publishDays(DAYS.slice(0, 3));
    const day = DAYS[3];
    const racing = nightOn(
      day,
      interrupted(() => pruneStore({ now: `${day}T06:00:00Z` })),
    );
    await expect(racing).rejects.toThrow('the catalog was changed while this night ran; run it again');
    expect(await partsByDay()).toEqual([
      '2023-12-30 changes',
      '2023-12-31 snapshot changes',
      '2024-01-30 snapshot changes state',
    ]);
    expect(await nights.night(source, day, { accept: true })).toMatchObject({ status: 'published' });
    expect(await verifyAll()).toMatchObject({ ok: true });
    const aDayAfter = new Date(Date.parse(`${day}T00:00:00Z`) + 2 * 86_400_000 + 1000);
    for await (const { key } of nights.deps.store.list('releases/')) {
      await utimes(join(nights.folder, key), new Date(0), new Date(0));
    }
    const { removals } = await pruneStore({ now: aDayAfter.toISOString() });
    expect(removals.filter(({ what }) => what === 'orphan')).toHaveLength(1);
    expect(await verifyAll()).toMatchObject({ ok: true });
  });
});
