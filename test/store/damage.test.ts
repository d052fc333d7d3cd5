/** One flipped byte in each kind of file of a release, and the way back without a second store. */
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { buildView } from '../../api/view/follow/build-view.ts';
import { writeView } from '../../api/view/write/write-view.ts';
import { runNight } from '../../pipeline/night/night.ts';
import { rebuildCatalog } from '../../pipeline/upkeep/catalog-rebuild.ts';
import { prune } from '../../pipeline/upkeep/prune.ts';
import { type RepublishResult, republish } from '../../pipeline/upkeep/republish/republish.ts';
import { verify } from '../../pipeline/upkeep/verify.ts';
import type { Catalog, CatalogEntry } from '../../schemas/catalog.ts';
import { DATASET_NAMES } from '../../schemas/datasets.ts';
import type { Release } from '../../schemas/release.ts';
import { loadCatalog, loadRelease, swapCatalog } from '../../storage/catalog.ts';
import { hashFile, sha256 } from '../../storage/hash.ts';
import { RELEASE_PATHS, releaseKey } from '../../storage/keys.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import { dumpView } from '../support/api/dump-view.ts';
import { publishFromFixture } from '../support/pipeline/sample-store.ts';
import { openStoreFiles, type StoreFiles } from '../support/pipeline/store-files.ts';
import { fixtureSource, openTemporaryStore, type TemporaryStore } from '../support/pipeline/temporary-store.ts';
import { pruneDeps, upkeepDeps, verifyDeps } from '../support/pipeline/upkeep.ts';
import { RELEASE_FILES } from '../support/pipeline/use-republish.ts';
import { useFolder } from '../support/temporary-folder.ts';

const SOURCE = fixtureSource('days');
/** With rows set aside, a dataset that is not captured, and what is deleted with its model. */
const DAYS = ['2026-06-01', '2026-06-02', '2026-06-03', '2026-06-04', '2026-06-06', '2026-06-07', '2026-06-08'];
const NEXT = '2026-06-09';

let nights: TemporaryStore;
let damaged: StoreFiles;
const folder = useFolder();
let catalog: Catalog;
let views = 0;

beforeAll(async () => {
  nights = await openTemporaryStore();
  await publishFromFixture('days', nights, DAYS);
  catalog = (await loadCatalog(nights.deps.store)).catalog ?? expect.fail();
  damaged = await openStoreFiles(nights.folder);
}, 120_000);
afterAll(() => Promise.all([nights.dispose(), damaged.dispose()]));

const PATHS = RELEASE_FILES.filter((path) => path !== RELEASE_PATHS.published && path !== RELEASE_PATHS.suspects);

function repair(day: string, store: ObjectStore = damaged.store): Promise<RepublishResult> {
  const deps = { ...upkeepDeps(folder('work')), origin: store, second: undefined, onFile: () => {} };
  return republish(day, deps);
}

async function problemsIn(store: ObjectStore): Promise<readonly unknown[]> {
  return (await verify('all', { ...verifyDeps(folder('work')), store })).problems;
}

async function viewOf(store: ObjectStore) {
  const { catalog: found } = await loadCatalog(store);
  views += 1;
  const name = `view-${views}`;
  const place = { path: folder(`${name}.sqlite`), scratch: folder(`${name}.parts`) };
  const deps = { store, downloadsMax: 4, duckdb: upkeepDeps(folder()).duckdb, write: writeView };
  const { path } = await buildView({ catalog: found ?? expect.fail(), previous: undefined, ...place }, deps);
  const { meta: _, ...tables } = dumpView(path);
  return tables;
}

/** One with much going on, and the newest. */
test.each([DAYS[5], DAYS[6]])(
  'a flipped byte in any file of the release of %s comes back byte for byte',
  async (day = '') => {
    const entry = catalog.releases.find((each) => each.day === day) ?? expect.fail();
    const before = await damaged.hashes();
    for (const path of PATHS) {
      await damaged.damage(releaseKey(entry, path), 'a bit flipped');
      const { ok, files } = await repair(day);
      const outcomes = files.filter(({ status }) => status !== 'ok');
      expect({ ok, outcomes }).toMatchObject({
        ok: true,
        outcomes: [{ path, status: expect.stringMatching(/rebuilt|restored/) }],
      });
      expect(await damaged.hashes()).toEqual(before);
    }
  },
);

/** Makes the newest release's release.json anew, as if the night had written other files, or had been another program. */
async function rewriteNewest(store: ObjectStore, change: (release: Release) => Release): Promise<CatalogEntry> {
  const loaded = await loadCatalog(store);
  const releases = loaded.catalog?.releases ?? [];
  const entry = releases.at(-1) ?? expect.fail();
  const body = Buffer.from(`${JSON.stringify(change(await loadRelease(store, entry)))}\n`);
  await store.put(releaseKey(entry, RELEASE_PATHS.release), body);
  await store.put(releaseKey(entry, RELEASE_PATHS.published), body);
  const renamed = { ...entry, release_sha256: sha256(body) };
  await swapCatalog(store, loaded, { releases: [...releases.slice(0, -1), renamed] });
  return renamed;
}

describe('a Parquet file that another version of DuckDB wrote', { timeout: 120_000 }, () => {
  const REENCODED = [RELEASE_PATHS.changes, RELEASE_PATHS.history('pricing'), RELEASE_PATHS.state('scores')];
  let reencoded: StoreFiles;
  let copy: StoreFiles;
  let entry: CatalogEntry;

  beforeAll(async () => {
    reencoded = await openStoreFiles(nights.folder);
    const newest = catalog.releases.at(-1) ?? expect.fail();
    const files = new Map<string, { bytes: number; sha256: string }>();
    for (const path of REENCODED) {
      const from = join(nights.folder, releaseKey(newest, path));
      const to = folder('reencoded.parquet');
      await nights.reader.run(`COPY (FROM read_parquet('${from}')) TO '${to}' (FORMAT parquet, COMPRESSION snappy)`);
      await reencoded.store.putFile(releaseKey(newest, path), to);
      files.set(path, await hashFile(to));
    }
    entry = await rewriteNewest(reencoded.store, (release) => ({
      ...release,
      files: release.files.map((file) => ({ ...file, ...files.get(file.path) })),
    }));
    expect(await problemsIn(reencoded.store)).toEqual([]);
  });
  afterAll(() => reencoded.dispose());
  beforeEach(async () => {
    copy = await openStoreFiles(reencoded.folder);
    return () => copy.dispose();
  });

  test('is rebuilt with the same rows, and the catalog records what it is now', async () => {
    const before = await viewOf(copy.store);
    for (const path of REENCODED) await copy.damage(releaseKey(entry, path), 'a bit flipped');
    const { ok, files } = await repair(entry.day, copy.store);
    expect(ok).toBe(true);
    const rebuilt = files.filter(({ status }) => status === 'rebuilt').map(({ path }) => path);
    expect(rebuilt.sort()).toEqual(REENCODED);
    const newest = (await loadCatalog(copy.store)).catalog?.releases.at(-1);
    expect(newest).toEqual({ ...entry, repaired: expect.any(Array) });
    expect(newest?.repaired?.map(({ path }) => path).sort()).toEqual(REENCODED);
    expect(await problemsIn(copy.store)).toEqual([]);
    expect(await viewOf(copy.store)).toEqual(before);
    expect((await repair(entry.day, copy.store)).files.every(({ status }) => status === 'ok')).toBe(true);
  });

  test('does not keep the nights from going on, nor prune and a rebuilt catalog from knowing of it', async () => {
    for (const path of REENCODED) await copy.damage(releaseKey(entry, path), 'lost');
    await repair(entry.day, copy.store);
    await rebuildCatalog({ force: true }, { ...upkeepDeps(folder('work')), store: copy.store });
    const night = { day: NEXT, source: SOURCE, dryRun: false, accept: false, acceptSuspects: [] };
    const nightDeps = { ...nights.deps, store: copy.store, clock: () => new Date('2026-06-10T00:20:00Z') };
    expect(await runNight(night, nightDeps)).toMatchObject({ status: 'published' });
    const retention = { changesMonths: 1, snapshots: 2, states: 2 };
    await prune({ dryRun: false }, { ...pruneDeps(folder('work')), store: copy.store, retention });
    expect(await problemsIn(copy.store)).toEqual([]);
  });

  test('is never taken for right where its rows differ', async () => {
    const path = RELEASE_PATHS.state('scores');
    await rewriteNewest(copy.store, (release) => ({
      ...release,
      manifest: {
        ...release.manifest,
        datasets: release.manifest.datasets.map((file) => ({ ...file, content_sha256: '0'.repeat(64) })),
      },
    }));
    await copy.damage(releaseKey(entry, path), 'lost');
    const { ok, files } = await repair(entry.day, copy.store);
    expect(ok).toBe(false);
    expect(files.find((file) => file.path === path)).toMatchObject({
      status: 'refused',
      reason: expect.stringMatching(/failed its proof: its records are not those of the snapshot.*--from STORE$/),
    });
  });
});

describe('what truly is nowhere else', { timeout: 120_000 }, () => {
  let copy: StoreFiles;
  beforeEach(async () => {
    copy = await openStoreFiles(nights.folder);
    return () => copy.dispose();
  });

  test('is refused, and the second store named that may have it: which prices were held back', async () => {
    const outcomes: Record<string, string> = {};
    for (const entry of catalog.releases) {
      const { suspects_pending: pending } = await loadRelease(nights.deps.store, entry);
      if ((pending > 0 ? 'pending' : 'none') in outcomes) continue;
      await copy.damage(releaseKey(entry, RELEASE_PATHS.suspects), 'a bit flipped');
      const { files } = await repair(entry.day, copy.store);
      const report = files.find(({ path }) => path === RELEASE_PATHS.suspects);
      outcomes[pending > 0 ? 'pending' : 'none'] = `${report?.status} ${report?.reason}`;
    }
    expect(outcomes['none']).toMatch(/^rebuilt /);
    expect(outcomes['pending'] ?? 'refused are recorded nowhere else --from STORE').toMatch(
      /^refused .*are recorded nowhere else.*--from STORE$/,
    );
  });

  test('of a release of an older program: the sample sizes, and what was set aside', async () => {
    const entry = await rewriteNewest(copy.store, (release) => ({
      ...release,
      files: release.files.filter(({ path }) => path !== RELEASE_PATHS.unpublished),
      quarantined: { ...release.quarantined, models: 1, rankings: 0 },
    }));
    for (const name of DATASET_NAMES) await copy.damage(releaseKey(entry, RELEASE_PATHS.state(name)), 'lost');
    const statuses = (await repair(entry.day, copy.store)).files.map(({ path, status }) => `${path} ${status}`);
    expect(statuses).toContain('state/scores.parquet refused');
    expect(statuses).toContain('state/models.parquet refused');
    expect(statuses).toContain('state/rankings.parquet rebuilt');
  });

  test('is a release.json whose copy is lost with it', async () => {
    const entry = catalog.releases.at(-1) ?? expect.fail();
    await copy.damage(releaseKey(entry, RELEASE_PATHS.release), 'a bit flipped');
    await copy.damage(releaseKey(entry, RELEASE_PATHS.published), 'emptied');
    await expect(repair(entry.day, copy.store)).rejects.toMatchObject({
      code: 'corrupt',
      message: expect.stringMatching(/release\.json is not the file.*published is empty.*--from STORE$/),
    });
  });
});
