import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { CatalogEntry } from '../../schemas/catalog.ts';
import { loadCatalog } from '../../storage/catalog.ts';
import { backfillKey, backfillMarkKey, CATALOG_KEY, RELEASE_PATHS, releaseId, releaseKey } from '../../storage/keys.ts';
import { backfill, tableRow } from '../../test/support/backfill/pricing-table.ts';
import { listReleases } from '../../test/support/pipeline/published.ts';
import { publishFromFixture } from '../../test/support/pipeline/sample-store.ts';
import {
  copyTemporaryStore,
  fixtureSource,
  openTemporaryStore,
  type TemporaryStore,
} from '../../test/support/pipeline/temporary-store.ts';
import { upkeepDeps } from '../../test/support/pipeline/upkeep.ts';
import { rebuildCatalog } from './catalog-rebuild.ts';

const SOURCE = fixtureSource('days');
const NEXT = '2026-06-04';

/** The nights of three days, made once; each test has a copy. */
let nights: TemporaryStore;
let releases: readonly CatalogEntry[];
let first: CatalogEntry;
let middle: CatalogEntry;
let newest: CatalogEntry;
let store: TemporaryStore;

beforeAll(async () => {
  nights = await openTemporaryStore();
  await publishFromFixture('days', nights, ['2026-06-01', '2026-06-02', '2026-06-03']);
  releases = await listReleases(nights);
  [first = expect.fail(), middle = expect.fail(), newest = expect.fail()] = releases;
});
afterAll(() => nights.dispose());
beforeEach(async () => {
  store = await copyTemporaryStore(nights);
  return () => store.dispose();
});

const path = (key: string) => join(store.folder, key);
const lose = (release: CatalogEntry, file = '') => rm(path(releaseKey(release, file)), { recursive: true });
const loseCatalog = () => rm(path(CATALOG_KEY));

function rebuild(options: { force?: boolean; keep?: string } = {}) {
  const { workFolder, store: objects } = store.deps;
  return rebuildCatalog({ force: false, ...options }, { ...upkeepDeps(workFolder), store: objects });
}

/** A complete release of the newest day beside the live one, as a night leaves it that lost the race. */
async function leaveRival(): Promise<string> {
  const rival = { day: newest.day, run: 'RIVAL' };
  await cp(path(releaseKey(newest, '')), path(releaseKey(rival, '')), { recursive: true });
  const release = await readFile(path(releaseKey(rival, 'release.json')), 'utf8');
  await writeFile(path(releaseKey(rival, 'release.json')), release.replaceAll(newest.run, rival.run));
  await rm(path(releaseKey(rival, 'published')));
  return releaseId(rival);
}

test('a lost catalog comes back entry for entry', async () => {
  await loseCatalog();
  const { changed, orphans } = await rebuild();
  expect({ changed, orphans }).toEqual({ changed: true, orphans: [] });
  expect(await listReleases(store)).toEqual(releases);
});

test('a damaged catalog is replaced', async () => {
  await writeFile(path(CATALOG_KEY), '{"format":1,"gener');
  await rebuild();
  expect(await listReleases(store)).toEqual(releases);
});

test('a catalog that can be read is left alone', async () => {
  const before = await readFile(path(CATALOG_KEY), 'utf8');
  expect((await rebuild()).changed).toBe(false);
  expect(await readFile(path(CATALOG_KEY), 'utf8')).toBe(before);
});

test('what a first night left that was killed before its swap does not stop the next one', async () => {
  for (const entry of [middle, newest]) await lose(entry);
  await lose(first, 'published');
  await loseCatalog();
  store.deps.newRunId(); // The killed one had a name of its own.
  expect((await store.night(SOURCE, first.day)).status).toBe('published');
});

test('of two releases of the newest day the one that was made live is kept', async () => {
  const rival = await leaveRival();
  await loseCatalog();
  expect((await rebuild()).orphans).toEqual([rival]);
  expect(await listReleases(store)).toEqual(releases);
});

test('where nothing tells which of two was live, the operator is asked', async () => {
  const rival = await leaveRival();
  await lose(newest, 'published');
  await loseCatalog();
  await expect(rebuild()).rejects.toThrow(`${rival} or ${releaseId(newest)}`);
  await expect(rebuild()).rejects.toThrow('--keep');
  expect((await rebuild({ keep: rival })).orphans).toEqual([releaseId(newest)]);
});

test('a release that an unmarked one continues was live', async () => {
  await leaveRival();
  await store.night(SOURCE, NEXT);
  const all = await listReleases(store);
  for (const entry of all) await lose(entry, 'published');
  await loseCatalog();
  await rebuild();
  expect(await listReleases(store)).toEqual(all);
});

test('what damage took from a release stays listed, for verify to tell and republish to mend', async () => {
  await lose(middle, RELEASE_PATHS.snapshot('scores'));
  await lose(newest, RELEASE_PATHS.changes);
  await loseCatalog();
  await rebuild();
  expect(await listReleases(store)).toEqual(releases);
});

test('a part of which prune has deleted the first file only is listed no more', async () => {
  await lose(first, RELEASE_PATHS.snapshot('benchmarks'));
  await loseCatalog();
  await rebuild();
  expect((await listReleases(store))[0]?.parts).toEqual(['changes', 'state']);
});

test('a hole in the chain is told rather than papered over', async () => {
  await lose(middle);
  await loseCatalog();
  await expect(rebuild()).rejects.toThrow(/missing/);
});

test('an empty store has nothing to rebuild from', async () => {
  await rm(store.folder, { recursive: true });
  await expect(rebuild()).rejects.toThrow(/holds no releases/);
});

describe('reconstructed prices', () => {
  const backfillFrom = async (effective_from: string) => {
    const row = tableRow({ model_id: 'aurora-2', effective_from, effective_to: '2026-05-20' });
    return (await backfill(store, { rows: [row] })).run ?? expect.fail();
  };
  const listed = async () => (await loadCatalog(store.deps.store)).catalog?.backfill?.pricing?.run;

  test('a lost catalog finds the newest backfill again, exactly as it was listed', async () => {
    await backfillFrom('2024-02-01');
    await backfillFrom('2024-02-02');
    const { catalog: before } = await loadCatalog(store.deps.store);
    await loseCatalog();
    await rebuild();
    expect((await loadCatalog(store.deps.store)).catalog).toMatchObject({
      backfill: before?.backfill,
      releases: before?.releases,
    });
  });

  test('a backfill that was never made live, or whose intervals are gone, is not listed', async () => {
    const [one, two, three] = [
      await backfillFrom('2024-02-01'),
      await backfillFrom('2024-02-02'),
      await backfillFrom('2024-02-03'),
    ];
    await rm(path(backfillMarkKey(three)));
    await rm(path(backfillKey(two)));
    await loseCatalog();
    await rebuild();
    expect(await listed()).toBe(one);
    await rm(path(backfillKey(one)));
    await loseCatalog();
    await rebuild();
    expect(await listed()).toBeUndefined();
  });

  test('rebuilding a catalog that can be read keeps the backfill it lists, marked or not', async () => {
    const run = await backfillFrom('2024-02-01');
    await rm(path(backfillMarkKey(run)));
    await rebuild({ force: true });
    expect(await listed()).toBe(run);
  });
});
