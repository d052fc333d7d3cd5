import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../runtime/errors.ts';
import type { CatalogEntry } from '../../schemas/catalog.ts';
import { RETENTION } from '../../schemas/retention.ts';
import { loadCatalog, swapCatalog } from '../../storage/catalog.ts';
import { CATALOG_KEY, RELEASE_PATHS, releaseKey } from '../../storage/keys.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import { openStoreFiles, type StoreFiles } from '../../test/support/pipeline/store-files.ts';
import { beforePut, storeWith } from '../../test/support/pipeline/store-with.ts';
import { fixtureSource, openTemporaryStore, type TemporaryStore } from '../../test/support/pipeline/temporary-store.ts';
import { pruneDeps, upkeepDeps, verifyDeps } from '../../test/support/pipeline/upkeep.ts';
import { useFolder } from '../../test/support/temporary-folder.ts';
import { mirror } from './mirror.ts';
import { prune } from './prune.ts';
import { verify } from './verify.ts';

const DAYS = ['2026-06-01', '2026-06-02', '2026-06-03'] as const;
const SOURCE = fixtureSource('days');

/** Three real nights with a backfill, and what they were after two of them; every test gets copies. */
let nights: TemporaryStore;
let earlier: StoreFiles;
const work = useFolder();
let newest: CatalogEntry;
let main: StoreFiles;
let second: StoreFiles;

beforeAll(async () => {
  nights = await openTemporaryStore();
  const [first, next, last] = DAYS;
  for (const day of [first, next]) await nights.night(SOURCE, day);
  earlier = await openStoreFiles(nights.folder);
  const price = { model_id: 'model-a', provider: 'p', input_per_million: 1, effective_from: '2026-05-20' };
  await nights.backfill([price], '2026-06-03T01:00:00Z');
  await nights.night(SOURCE, last);
  newest = (await loadCatalog(nights.deps.store)).catalog?.releases.at(-1) ?? expect.fail();
}, 60_000);
afterAll(() => Promise.all([nights.dispose(), earlier.dispose()]));
beforeEach(async () => {
  main = await openStoreFiles(nights.folder);
  second = await openStoreFiles();
});
afterEach(() => Promise.all([main.dispose(), second.dispose()]));

function mirrorTo(to: ObjectStore = second.store, from: ObjectStore = main.store) {
  return mirror({ ...upkeepDeps(work()), from, to, copiesMax: 3, onRelease: () => {} });
}

async function contentsOf({ store, hashes }: StoreFiles) {
  const { [CATALOG_KEY]: _, ...objects } = await hashes();
  const { catalog } = await loadCatalog(store);
  return { objects, releases: catalog?.releases, pricing: catalog?.backfill?.pricing ?? null };
}

async function expectEqual(): Promise<void> {
  expect(await contentsOf(second)).toEqual(await contentsOf(main));
}

const away = () => new AppError('store_unavailable', 'the store is away');

describe('mirror', { timeout: 60_000 }, () => {
  it('makes an empty store equal, object by object, and a second run finds nothing to do', async () => {
    expect(await mirrorTo()).toMatchObject({ releases: 3, newest: DAYS[2], swapped: true, removed: 0 });
    await expectEqual();
    expect(await verify('all', { ...verifyDeps(work()), store: second.store })).toMatchObject({
      ok: true,
      problems: [],
    });
    const versions = await second.versions();
    expect(await mirrorTo()).toMatchObject({ copied: 0, bytes: 0, removed: 0, swapped: false });
    expect(await second.versions()).toEqual(versions);
  });

  it('sends only what came since, and takes away what prune removed here and nothing else', async () => {
    await mirrorTo(second.store, earlier.store);
    await second.store.put('backfill/pricing.OTHER.parquet', Buffer.from('an orphan of its own'));
    const retention = { ...RETENTION, snapshots: 1, states: 1 };
    await prune({ dryRun: false }, { ...pruneDeps(work()), store: main.store, retention });
    const sent: string[] = [];
    const { removed } = await mirrorTo(beforePut(second.store, (key) => sent.push(key)));
    expect(removed).toBeGreaterThan(0);
    expect(sent.filter((key) => !key.startsWith(releaseKey(newest, '')) && !key.startsWith('backfill/'))).toEqual([
      CATALOG_KEY,
    ]);
    expect(await second.store.head('backfill/pricing.OTHER.parquet')).toBeDefined();
    await second.store.delete('backfill/pricing.OTHER.parquet');
    await expectEqual();
  });

  it('that is killed lists nothing, and goes on where it was', async () => {
    let puts = 0;
    const dying = beforePut(second.store, () => {
      puts += 1;
      if (puts > 20) throw new Error('killed');
    });
    await expect(mirrorTo(dying)).rejects.toThrow('killed');
    expect((await loadCatalog(second.store)).catalog).toBeUndefined();
    const there = Object.keys(await second.hashes());
    expect(there.length).toBeGreaterThan(10);
    const sent: string[] = [];
    await mirrorTo(beforePut(second.store, (key) => sent.push(key)));
    expect(sent.filter((key) => there.includes(key))).toEqual([]);
    await expectEqual();
  });

  it('tries again where a store is away for a moment, and gives up where it stays away', async () => {
    let failures = 0;
    const shaky = beforePut(second.store, (key) => {
      if (key.endsWith('changes.parquet') && failures < 2) {
        failures += 1;
        throw away();
      }
    });
    await mirrorTo(shaky);
    expect(failures).toBe(2);
    await expectEqual();
    const gone = await openStoreFiles();
    const lost = beforePut(gone.store, () => {
      throw away();
    });
    await expect(mirrorTo(lost)).rejects.toMatchObject({ code: 'store_unavailable' });
    await gone.dispose();
  });

  it('puts back what the second store has lost', async () => {
    await mirrorTo();
    for (const path of [RELEASE_PATHS.changes, RELEASE_PATHS.release, RELEASE_PATHS.published]) {
      await second.damage(releaseKey(newest, path), 'lost');
    }
    await second.damage(releaseKey(newest, RELEASE_PATHS.state('models')), 'cut off');
    await mirrorTo();
    await expectEqual();
  });

  it('never copies damage, and leaves the catalog of the second store as it is then', async () => {
    await mirrorTo(second.store, earlier.store);
    const before = (await loadCatalog(second.store)).catalog;
    await main.damage(releaseKey(newest, RELEASE_PATHS.changes), 'a bit flipped');
    await expect(mirrorTo()).rejects.toMatchObject({ code: 'corrupt', message: expect.stringContaining('damaged') });
    expect((await loadCatalog(second.store)).catalog).toEqual(before);
  });

  it('begins anew where a prune takes away what it was about to copy', async () => {
    let raced = false;
    const stream: ObjectStore['stream'] = async (key) => {
      const isFirst = !raced;
      raced = true;
      const retention = { ...RETENTION, snapshots: 1, states: 1 };
      if (isFirst) await prune({ dryRun: false }, { ...pruneDeps(work()), store: main.store, retention });
      return main.store.stream(key);
    };
    const racing = storeWith(main.store, { stream });
    await mirrorTo(second.store, racing);
    expect(raced).toBe(true);
    await expectEqual();
  });
});

describe('a store that is no mirror is refused and left as it is:', { timeout: 60_000 }, () => {
  async function expectRefused(to: StoreFiles, message: RegExp): Promise<void> {
    const before = await to.versions();
    await expect(mirrorTo(to.store)).rejects.toMatchObject({ code: 'usage', message: expect.stringMatching(message) });
    expect(await to.versions()).toEqual(before);
  }

  it('one of another record', async () => {
    const nightsOfOthers = await openTemporaryStore({ runPrefix: 'OTHER' });
    await nightsOfOthers.night(SOURCE, DAYS[0]);
    const other = await openStoreFiles(nightsOfOthers.folder);
    await expectRefused(other, /it has other releases/);
    await other.damage(CATALOG_KEY, 'lost');
    await expectRefused(other, /OTHER01 was published there but not here/);
    await Promise.all([nightsOfOthers.dispose(), other.dispose()]);
  });

  it('one that has been continued', async () => {
    const ahead = await openStoreFiles(nights.folder);
    const behind = await openStoreFiles();
    await mirrorTo(behind.store, earlier.store);
    await expect(mirrorTo(ahead.store, behind.store)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('it has snapshots of its own after 2026-06-02'),
    });
    await Promise.all([ahead.dispose(), behind.dispose()]);
  });

  it('the store itself', () => expectRefused(main, /it is the same store/));

  it('and an empty store has nothing to mirror, an older catalog nothing to trust', async () => {
    const empty = await openStoreFiles();
    const fresh = { ...upkeepDeps(work('fresh')), copiesMax: 1, onRelease: () => {} };
    await expect(mirror({ ...fresh, from: empty.store, to: second.store })).rejects.toMatchObject({
      code: 'not_found',
    });
    const loaded = await loadCatalog(main.store);
    await swapCatalog(main.store, loaded, { releases: loaded.catalog?.releases.slice(0, 2) ?? [] });
    await expect(mirrorTo()).rejects.toThrow('catalog rebuild');
    await empty.dispose();
  });
});
