import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listSourceDays } from '../../pipeline/source/source-folder.ts';
import { rebuildCatalog } from '../../pipeline/upkeep/catalog-rebuild.ts';
import type { CatalogEntry } from '../../schemas/catalog.ts';
import { CATALOG_KEY, RELEASE_PATHS, releaseId, releaseKey } from '../../storage/keys.ts';
import { listReleases } from '../support/pipeline/published.ts';
import { publishFromFixture } from '../support/pipeline/sample-store.ts';
import { fixtureSource, openTemporaryStore, type TemporaryStore } from '../support/pipeline/temporary-store.ts';
import { upkeepDeps } from '../support/pipeline/upkeep.ts';

const SOURCE = fixtureSource('days');
let store: TemporaryStore;
let releases: readonly CatalogEntry[];

beforeEach(async () => {
  store = await openTemporaryStore();
  await publishFromFixture('days', store, (await listSourceDays(SOURCE)).slice(0, 3));
  releases = await listReleases(store);
});

afterEach(() => store.dispose());

function path(key: string): string {
  return join(store.folder, key);
}

function rebuild(options: { force?: boolean; keep?: string } = {}) {
  const { workFolder, store: objects } = store.deps;
  return rebuildCatalog({ force: false, ...options }, { ...upkeepDeps(workFolder), store: objects });
}

/** A complete release of the newest day beside the live one, as a night leaves it that lost the race. */
async function leaveRival(): Promise<string> {
  const newest = releases[2];
  if (newest === undefined) throw new Error('the series has three days');
  const rival = { day: newest.day, run: 'RIVAL' };
  await cp(path(releaseKey(newest, '')), path(releaseKey(rival, '')), { recursive: true });
  const release = await readFile(path(releaseKey(rival, 'release.json')), 'utf8');
  await writeFile(path(releaseKey(rival, 'release.json')), release.replaceAll(newest.run, rival.run));
  await rm(path(releaseKey(rival, 'published')));
  return releaseId(rival);
}

test('a lost catalog comes back entry for entry', async () => {
  await rm(path(CATALOG_KEY));
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
  const [first] = releases;
  if (first === undefined) throw new Error('the series has three days');
  for (const entry of releases.slice(1)) await rm(path(releaseKey(entry, '')), { recursive: true });
  await rm(path(releaseKey(first, 'published')));
  await rm(path(CATALOG_KEY));
  await rm(join(store.deps.workFolder, 'store.json')); // No night has been published yet that it could know.
  expect((await store.night(SOURCE, first.day)).status).toBe('published');
});

test('of two releases of the newest day the one that was made live is kept', async () => {
  const rival = await leaveRival();
  await rm(path(CATALOG_KEY));
  expect((await rebuild()).orphans).toEqual([rival]);
  expect(await listReleases(store)).toEqual(releases);
});

test('where nothing tells which of two was live, the operator is asked', async () => {
  const rival = await leaveRival();
  const newest = releases[2];
  if (newest === undefined) throw new Error('the series has three days');
  await rm(path(releaseKey(newest, 'published')));
  await rm(path(CATALOG_KEY));
  await expect(rebuild()).rejects.toThrow(`${rival} or ${releaseId(newest)}`);
  await expect(rebuild()).rejects.toThrow('--keep');
  expect((await rebuild({ keep: rival })).orphans).toEqual([releaseId(newest)]);
});

test('a release that an unmarked one continues was live', async () => {
  await leaveRival();
  const [, , newest] = releases;
  if (newest === undefined) throw new Error('the series has three days');
  await store.night(SOURCE, (await listSourceDays(SOURCE))[3] ?? '');
  const all = await listReleases(store);
  for (const entry of all) await rm(path(releaseKey(entry, 'published')));
  await rm(path(CATALOG_KEY));
  await rebuild();
  expect(await listReleases(store)).toEqual(all);
});

test('what damage took from a release stays listed, for verify to tell and republish to mend', async () => {
  const [, middle, newest] = releases;
  if (middle === undefined || newest === undefined) throw new Error('the series has three days');
  await rm(path(releaseKey(middle, RELEASE_PATHS.snapshot('scores'))));
  await rm(path(releaseKey(newest, RELEASE_PATHS.changes)));
  await rm(path(CATALOG_KEY));
  await rebuild();
  expect(await listReleases(store)).toEqual(releases);
});

test('a part of which prune has deleted the first file only is listed no more', async () => {
  const [first] = releases;
  if (first === undefined) throw new Error('the series has three days');
  await rm(path(releaseKey(first, RELEASE_PATHS.snapshot('benchmarks'))));
  await rm(path(CATALOG_KEY));
  await rebuild();
  expect((await listReleases(store))[0]?.parts).toEqual(['changes', 'state']);
});

test('a hole in the chain is told rather than papered over', async () => {
  const [, middle] = releases;
  if (middle === undefined) throw new Error('the series has three days');
  await rm(path(releaseKey(middle, '')), { recursive: true });
  await rm(path(CATALOG_KEY));
  await expect(rebuild()).rejects.toThrow(/missing/);
});

test('an empty store has nothing to rebuild from', async () => {
  await rm(store.folder, { recursive: true });
  await expect(rebuild()).rejects.toThrow(/holds no releases/);
});
