/** What keeps a store whole knows of both versions: verify, republish, prune, the rebuilding of a lost catalog. */

import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rebuildCatalog } from '../../pipeline/upkeep/catalog-rebuild.ts';
import { prune } from '../../pipeline/upkeep/prune.ts';
import { republish } from '../../pipeline/upkeep/republish/republish.ts';
import { verify } from '../../pipeline/upkeep/verify.ts';
import type { CatalogEntry } from '../../schemas/catalog.ts';
import { DATASET_NAMES } from '../../schemas/datasets.ts';
import type { RecordVersion } from '../../schemas/record-version.ts';
import { RECORD_VERSIONS } from '../../schemas/record-versions.ts';
import { loadCatalog, loadRelease, swapCatalog } from '../../storage/catalog.ts';
import { sha256 } from '../../storage/hash.ts';
import { releaseKey } from '../../storage/keys.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import { perTest } from '../support/per-test.ts';
import { useStoreFiles } from '../support/pipeline/store-files.ts';
import { openTemporaryStore, type TemporaryStore } from '../support/pipeline/temporary-store.ts';
import { pruneDeps, upkeepDeps, verifyDeps, withoutRun } from '../support/pipeline/upkeep.ts';
import { outcomesOf } from '../support/pipeline/use-republish.ts';
import { useFolder } from '../support/temporary-folder.ts';
import {
  CUTOVER,
  DAYS,
  LAST,
  NOTICE,
  publishVersionedDays,
  VERSIONS,
  writeVersionedDays,
} from '../worlds/versioned-days.ts';

const NOTICED_FILES = ['manifest.json', ...DATASET_NAMES.map((name) => `${name}.jsonl.gz`)].map(
  (n) => `snapshot/v2/${n}`,
);

const source = useFolder();
let nights: TemporaryStore;
let entries: readonly CatalogEntry[];

beforeAll(async () => {
  await writeVersionedDays(source());
  nights = await openTemporaryStore({ versions: VERSIONS });
  await publishVersionedDays(nights, source());
  entries = (await loadCatalog(nights.deps.store)).catalog?.releases ?? [];
});
afterAll(() => nights.dispose());
const copy = perTest(() => useStoreFiles(nights.folder));

const entryOf = (day: string) => entries.find((candidate) => candidate.day === day) ?? expect.fail();

const keyOf = (day: string, path: string) => releaseKey(entryOf(day), path);

function verifyStore(store: ObjectStore, { versions = VERSIONS, days = DAYS } = {}) {
  return withoutRun(verify(days, { ...verifyDeps(nights.deps.workFolder), store, versions }));
}

function republishDay(
  day: string,
  origin: ObjectStore,
  second?: ObjectStore,
  versions: readonly RecordVersion[] = VERSIONS,
) {
  const deps = { ...upkeepDeps(nights.deps.workFolder), versions, onFile: () => {} };
  return republish(day, { ...deps, origin, second });
}

describe('verify', () => {
  it('proves every snapshot in every version, and every day by replay, also the cutover', async () => {
    expect(await verifyStore(nights.deps.store)).toEqual({ ok: true, snapshots: 5, replayed: 4, problems: [] });
  });

  it.each(NOTICED_FILES)('tells a missing %s', async (path) => {
    await copy.damage(keyOf(NOTICE, path), 'lost');
    const { ok, problems } = await verifyStore(copy.store, { days: [NOTICE] });
    expect(ok).toBe(false);
    expect(problems[0]?.message).toContain(path);
  });

  it('of a program that does not know the version says so', async () => {
    const { problems } = await verifyStore(nights.deps.store, { versions: RECORD_VERSIONS, days: [LAST, CUTOVER] });
    const message = 'this program does not know version 2.0 of the records; use a newer program';
    expect(problems).toEqual([LAST, CUTOVER].map((snapshot) => ({ snapshot, message })));
  });

  /** Publishes other lines under notice, with all hashes as they should be. */
  async function replaceLines(path: string, change: (lines: string) => string): Promise<readonly string[]> {
    const loaded = await loadCatalog(copy.store);
    const release = await loadRelease(copy.store, entryOf(LAST));
    const key = keyOf(LAST, path);
    const lines = change(gunzipSync((await copy.store.get(key))?.body ?? '').toString('utf8'));
    const packed = gzipSync(lines);
    const file = { bytes: packed.length, sha256: sha256(packed) };
    const content = { content_bytes: Buffer.byteLength(lines), content_sha256: sha256(lines) };
    const [noticed] = release.noticed_manifests ?? [];
    if (noticed === undefined) throw new Error('there is no notice');
    const datasets = noticed.datasets.map((one) => (path.includes(one.name) ? { ...one, ...file, ...content } : one));
    const manifest = { ...noticed, datasets };
    const stored = `${JSON.stringify(manifest)}\n`;
    const files = release.files.map((one) => {
      if (one.path === path) return { ...one, ...file };
      if (one.path !== 'snapshot/v2/manifest.json') return one;
      return { ...one, bytes: Buffer.byteLength(stored), sha256: sha256(stored) };
    });
    const body = Buffer.from(JSON.stringify({ ...release, files, noticed_manifests: [manifest] }));
    await copy.store.put(key, packed);
    await copy.store.put(keyOf(LAST, 'snapshot/v2/manifest.json'), Buffer.from(stored));
    await copy.store.put(keyOf(LAST, 'release.json'), body);
    const releases = (loaded.catalog?.releases ?? []).map((one) =>
      one.day === LAST ? { ...one, release_sha256: sha256(body), parts: ['snapshot' as const] } : one,
    );
    await swapCatalog(copy.store, loaded, { releases });
    return (await verifyStore(copy.store, { days: [LAST] })).problems.map(({ message }) => message);
  }

  it.each<[string, string, (lines: string) => string]>([
    ['another value', 'models', (lines) => lines.replace('Model', 'Muddle')],
    ['fields in another order', 'rankings', (lines) => lines.replace(/("rank":1),("trueskill_mu":25.5)/, '$2,$1')],
    ['a line too few', 'benchmarks', (lines) => lines.slice(0, lines.indexOf('\n') + 1)],
  ])('tells %s under notice even where all hashes fit and the state is gone', async (_, name, change) => {
    const problems = await replaceLines(`snapshot/v2/${name}.jsonl.gz`, change);
    expect(problems.join()).toContain(`${name}: 2026-04-30-v2 has other records than the day's`);
  });
});

describe('republish', () => {
  it('rebuilds a snapshot in both versions byte for byte', async () => {
    const before = await copy.hashes();
    const paths = (await loadRelease(copy.store, entryOf(LAST))).files
      .map(({ path }) => path)
      .filter((path) => path.startsWith('snapshot/'));
    expect(paths).toEqual(expect.arrayContaining(NOTICED_FILES));
    for (const path of paths) await copy.damage(keyOf(LAST, path), 'lost');
    const result = await republishDay(LAST, copy.store);
    expect(outcomesOf(result)).toEqual(paths.map((path) => `${path} rebuilt`));
    expect(await copy.hashes()).toEqual(before);
  });

  it('rebuilds the cutover from the snapshot in the version before and the events', async () => {
    const before = await copy.hashes();
    const feed = ['models', 'scores', 'rankings', 'pricing'];
    for (const name of feed) {
      await copy.damage(keyOf(CUTOVER, `state/${name}.parquet`), 'lost');
      await copy.damage(keyOf(CUTOVER, `snapshot/${name}.jsonl.gz`), 'lost');
    }
    const { files } = await republishDay(CUTOVER, copy.store);
    const rebuilt = files.filter(({ status }) => status === 'rebuilt').map(({ path }) => path);
    expect(rebuilt).toEqual(expect.arrayContaining(feed.map((name) => `snapshot/${name}.jsonl.gz`)));
    expect(rebuilt).toContain('state/scores.parquet');
    for (const path of rebuilt) {
      const key = keyOf(CUTOVER, path);
      expect((await copy.hashes())[key]).toBe(before[key]);
    }
  });

  it('rebuilds a file under notice whose state is gone too after that state', async () => {
    const before = await copy.hashes();
    const lost = ['state/models.parquet', 'snapshot/v2/models.jsonl.gz'];
    for (const path of lost) await copy.damage(keyOf(LAST, path), 'lost');
    expect(outcomesOf(await republishDay(LAST, copy.store))).toEqual(lost.map((path) => `${path} rebuilt`));
    expect(await copy.hashes()).toEqual(before);
  });

  it('refuses what it has to rebuild in a version that the program does not know, and copies it from elsewhere', async () => {
    const path = 'snapshot/v2/models.jsonl.gz';
    await copy.damage(keyOf(LAST, path), 'lost');
    const { files } = await republishDay(LAST, copy.store, undefined, RECORD_VERSIONS);
    expect(files.find((file) => file.path === path)?.reason).toContain('this program does not know');
    expect(outcomesOf(await republishDay(LAST, nights.deps.store, copy.store, RECORD_VERSIONS))).toEqual([
      `${path} restored`,
    ]);
  });
});

it('prune takes a snapshot away in both versions, and a lost catalog knows what was taken', async () => {
  const deps = { ...upkeepDeps(nights.deps.workFolder), store: copy.store };
  const pruning = { ...pruneDeps(nights.deps.workFolder), clock: () => new Date('2026-05-03T06:00:00Z') };
  const retention = { changesMonths: 13, snapshots: 3, states: 1 };
  await prune({ dryRun: false }, { ...pruning, store: copy.store, retention });
  const keys = Object.keys(await copy.hashes()).filter((key) => key.includes('/snapshot/'));
  const days = [...new Set(keys.map((key) => key.slice('releases/'.length, 'releases/2026-04-01'.length)))];
  expect(days).toEqual(['2026-03-31', LAST, CUTOVER, '2026-05-02']);
  const before = (await loadCatalog(copy.store)).catalog?.releases;
  await copy.store.delete('catalog.json');
  expect((await rebuildCatalog({ force: false }, deps)).catalog.releases).toEqual(before);
  expect(await verifyStore(copy.store)).toMatchObject({ ok: true, snapshots: 5 });
});
