import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CatalogEntry } from '../../../schemas/catalog.ts';
import { RETENTION } from '../../../schemas/retention.ts';
import { loadCatalog, loadRelease, swapCatalog } from '../../../storage/catalog.ts';
import { sha256 } from '../../../storage/hash.ts';
import { RELEASE_PATHS, releaseKey } from '../../../storage/keys.ts';
import type { ObjectStore } from '../../../storage/object-store.ts';
import { DAMAGES, openStoreFiles, type StoreFiles } from '../../../test/support/pipeline/store-files.ts';
import {
  fixtureSource,
  openTemporaryStore,
  type TemporaryStore,
} from '../../../test/support/pipeline/temporary-store.ts';
import { upkeepDeps } from '../../../test/support/pipeline/upkeep.ts';
import { prune } from '../prune/prune.ts';
import { verify } from '../verify/verify.ts';
import { type RepublishResult, republish } from './republish.ts';

const DAYS = ['2026-06-01', '2026-06-02', '2026-06-03'] as const;
const [FIRST, SECOND, THIRD] = DAYS;

/** Three real nights, made once; every test gets a copy. */
let nights: TemporaryStore;
let work: string;
let entries: readonly CatalogEntry[];
let main: StoreFiles;
let mirror: StoreFiles;

beforeAll(async () => {
  nights = await openTemporaryStore();
  work = await mkdtemp(join(tmpdir(), 'modelstats-work-'));
  for (const day of DAYS) await nights.night(fixtureSource('days'), day);
  entries = (await loadCatalog(nights.deps.store)).catalog?.releases ?? [];
});
afterAll(() => Promise.all([nights.dispose(), rm(work, { recursive: true, force: true })]));
beforeEach(async () => {
  main = await openStoreFiles(nights.folder);
  mirror = await openStoreFiles();
});
afterEach(() => Promise.all([main.dispose(), mirror.dispose()]));

function keyOf(day: string, path: string): string {
  const entry = entries.find((candidate) => candidate.day === day);
  if (entry === undefined) throw new Error(`no night of ${day}`);
  return releaseKey(entry, path);
}

function republishDay(day: string, origin: ObjectStore, second?: ObjectStore): Promise<RepublishResult> {
  return republish(day, { ...upkeepDeps(work), origin, second, onFile: () => {} });
}

/** Everything but what was fine, as `path status`. */
function outcomes({ files }: RepublishResult): readonly string[] {
  return files.filter(({ status }) => status !== 'ok').map(({ path, status }) => `${path} ${status}`);
}

async function problemsIn(store: ObjectStore): Promise<readonly unknown[]> {
  const { catalog } = await loadCatalog(store);
  return (await verify({ catalog, days: 'all' }, { ...upkeepDeps(work), store, onSnapshot: () => {} })).problems;
}

/** Every file that a release has of its own. */
const RELEASE_FILES = [
  'changes.parquet',
  ...['models', 'benchmarks', 'scores', 'rankings', 'pricing'].flatMap((name) => [
    ...[`history/${name}.parquet`, `snapshot/${name}.jsonl.gz`, `state/${name}.parquet`],
  ]),
  ...['release.json', 'snapshot/manifest.json'],
  ...['state/removed.parquet', 'state/suspects.parquet', 'state/unpublished.parquet'],
];
/** What is rebuilt from each other and from nothing else. */
const LOST_FOR_GOOD = [RELEASE_PATHS.state('scores'), RELEASE_PATHS.unpublished];
const isRebuildable = (path: string) => path.startsWith('snapshot/');

describe('a sound release', () => {
  it('is found to be so, file by file, and nothing is written', async () => {
    const before = await main.versions();
    const result = await republishDay(SECOND, main.store);
    expect(result).toMatchObject({ ok: true, snapshot: SECOND, listed: true, not_listed_because: null });
    expect(result.files.map(({ path }) => path).sort()).toEqual([...RELEASE_FILES].sort());
    expect(outcomes(result)).toEqual([]);
    expect(await main.versions()).toEqual(before);
  });

  it('that the catalog does not name is not found', async () => {
    await expect(republishDay('2026-05-31', main.store)).rejects.toMatchObject({ code: 'not_found' });
    await expect(republishDay(FIRST, mirror.store)).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe.each(DAMAGES)('a file that is %s', (kind) => {
  it('comes back byte for byte where it can be rebuilt: every file of the snapshot', async () => {
    const before = await main.hashes();
    const paths = RELEASE_FILES.filter(isRebuildable);
    for (const path of paths) await main.damage(keyOf(SECOND, path), kind);
    const result = await republishDay(SECOND, main.store);
    expect([...outcomes(result)].sort()).toEqual(paths.map((path) => `${path} rebuilt`).sort());
    expect(await main.hashes()).toEqual(before);
  });

  it('is refused where nothing here can give it back, and stays as it is', async () => {
    const paths = LOST_FOR_GOOD;
    for (const path of paths) await main.damage(keyOf(SECOND, path), kind);
    const before = await main.versions();
    const result = await republishDay(SECOND, main.store);
    expect(result.ok).toBe(false);
    expect([...outcomes(result)].sort()).toEqual(paths.map((path) => `${path} refused`).sort());
    for (const { status, reason } of result.files) {
      if (status === 'refused')
        expect(reason).toMatch(
          /^(missing|damaged: .*); not from .*; another store .* republish 2026-06-02 --from STORE$/,
        );
    }
    expect(await main.versions()).toEqual(before);
  });
});

it.each(['lost', 'a bit flipped'] as const)(
  'every kind of file that is %s comes back from a second store',
  async (kind) => {
    const backup = await openStoreFiles(nights.folder);
    const before = await main.hashes();
    const paths = RELEASE_FILES;
    for (const path of paths) await main.damage(keyOf(THIRD, path), kind);
    const result = await republishDay(THIRD, backup.store, main.store);
    expect([...outcomes(result)].sort()).toEqual(paths.map((path) => `${path} restored`).sort());
    expect(await main.hashes()).toEqual(before);
    expect(await problemsIn(main.store)).toEqual([]);
    await backup.dispose();
  },
);

it('what nothing here can give back comes from a second store that is named, by its hash alone', async () => {
  const [backup, wrong] = [await openStoreFiles(nights.folder), await openStoreFiles(nights.folder)];
  const before = await main.hashes();
  const paths = [...LOST_FOR_GOOD, RELEASE_PATHS.release, RELEASE_PATHS.published];
  for (const path of paths) {
    await main.damage(keyOf(SECOND, path), 'a bit flipped');
    await wrong.damage(keyOf(SECOND, path), 'a bit flipped');
  }
  const from = (store: ObjectStore) =>
    republish(SECOND, { ...upkeepDeps(work), origin: main.store, second: undefined, from: store, onFile: () => {} });
  await expect(from(wrong.store)).rejects.toMatchObject({ code: 'corrupt' });
  const result = await from(backup.store);
  expect([...outcomes(result)].sort()).toEqual(['release.json', ...LOST_FOR_GOOD].map((path) => `${path} restored`));
  expect(await main.hashes()).toEqual(before);
  await Promise.all([backup.dispose(), wrong.dispose()]);
});

describe('a store that files are to be taken from', () => {
  const from = (store: ObjectStore) =>
    republish(THIRD, { ...upkeepDeps(work), origin: main.store, second: undefined, from: store, onFile: () => {} });

  it('is refused where it holds another record, before any file is looked at', async () => {
    const other = await openTemporaryStore({ runPrefix: 'OTHER' });
    for (const day of DAYS) await other.night(fixtureSource('days'), day);
    await main.damage(keyOf(THIRD, RELEASE_PATHS.state('scores')), 'lost');
    const before = await main.versions();
    await expect(from(other.deps.store)).rejects.toMatchObject({
      code: 'usage',
      message: `${other.url} can't give files to ${main.store.url}: it holds another record`,
    });
    expect(await main.versions()).toEqual(before);
    await other.dispose();
  });

  it('is refused where it went its own way after some days, even if this day is not among them', async () => {
    const backup = await openStoreFiles(nights.folder);
    const loaded = await loadCatalog(backup.store);
    const changed = entries.map((entry) =>
      entry.day === SECOND ? { ...entry, release_sha256: '0'.repeat(64) } : entry,
    );
    await swapCatalog(backup.store, loaded, { releases: changed });
    await expect(from(backup.store)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(/it holds another record$/),
    });
    await backup.dispose();
  });

  it('may know fewer days', async () => {
    const backup = await openStoreFiles(nights.folder);
    await swapCatalog(backup.store, await loadCatalog(backup.store), { releases: entries.slice(0, 1) });
    await main.damage(keyOf(THIRD, RELEASE_PATHS.state('scores')), 'lost');
    expect(outcomes(await from(backup.store))).toEqual([`${RELEASE_PATHS.state('scores')} restored`]);
    await backup.dispose();
  });

  it('has to have this very release where it has no catalog to tell its record', async () => {
    const backup = await openStoreFiles(nights.folder);
    await backup.damage('catalog.json', 'lost');
    await main.damage(keyOf(THIRD, RELEASE_PATHS.state('scores')), 'lost');
    expect(outcomes(await from(backup.store))).toEqual([`${RELEASE_PATHS.state('scores')} restored`]);
    for (const path of [RELEASE_PATHS.release, RELEASE_PATHS.published]) {
      await backup.damage(keyOf(THIRD, path), 'a bit flipped');
    }
    await expect(from(backup.store)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(
        `can't give files to ${main.store.url}: it has no catalog, and not this release: `,
      ),
    });
    await expect(from(mirror.store)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(/release\.json is missing/),
    });
    await backup.dispose();
  });

  it('is another one', async () => {
    await expect(from(main.store)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(/it is the same store$/),
    });
  });
});

describe('a snapshot whose state is gone too', () => {
  const loseState = (day: string) =>
    Promise.all(
      RELEASE_FILES.filter((path) => path.startsWith('state/')).map((path) => main.damage(keyOf(day, path), 'lost')),
    );

  it('is rebuilt from the snapshot before and the events', async () => {
    const before = await main.hashes();
    await loseState(SECOND);
    for (const path of RELEASE_FILES.filter(isRebuildable)) await main.damage(keyOf(SECOND, path), 'lost');
    const { files } = await republishDay(SECOND, main.store);
    const after = await main.hashes();
    const rebuilt = files.filter(({ status }) => status === 'rebuilt');
    expect(rebuilt.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['snapshot/models.jsonl.gz', 'snapshot/pricing.jsonl.gz']),
    );
    for (const { path, reason } of rebuilt) {
      expect(after[keyOf(SECOND, path)]).toBe(before[keyOf(SECOND, path)]);
      if (path.endsWith('.gz'))
        expect(reason).toMatch(/^missing; rebuilt from the snapshot 2026-06-01 and the events in file:/);
    }
  });

  it('is rebuilt from the events alone when it was the first night', async () => {
    const before = await main.hashes();
    await loseState(FIRST);
    await main.damage(keyOf(FIRST, 'snapshot/models.jsonl.gz'), 'lost');
    const { files } = await republishDay(FIRST, main.store);
    expect(files.find(({ path }) => path === 'snapshot/models.jsonl.gz')?.reason).toMatch(
      /^missing; rebuilt from the events in/,
    );
    const key = keyOf(FIRST, 'snapshot/models.jsonl.gz');
    expect((await main.hashes())[key]).toBe(before[key]);
  });

  it('has its benchmarks rebuilt only where they did not change that night: they have no events', async () => {
    for (const day of [SECOND, THIRD]) {
      await loseState(day);
      await main.damage(keyOf(day, 'snapshot/benchmarks.jsonl.gz'), 'lost');
    }
    const third = async () => outcomes(await republishDay(THIRD, main.store));
    expect(await third()).toContain('snapshot/benchmarks.jsonl.gz refused');
    expect(outcomes(await republishDay(SECOND, main.store))).toContain('snapshot/benchmarks.jsonl.gz refused');
    await republishDay(SECOND, nights.deps.store, main.store);
    expect(await third()).toContain('snapshot/benchmarks.jsonl.gz rebuilt');
  });

  it('is refused, with every way that was tried, where the events are gone too', async () => {
    await loseState(SECOND);
    await main.damage(keyOf(SECOND, RELEASE_PATHS.changes), 'a bit flipped');
    await main.damage(keyOf(SECOND, 'snapshot/scores.jsonl.gz'), 'lost');
    const { files } = await republishDay(SECOND, main.store);
    const reason = files.find(({ path }) => path === 'snapshot/scores.jsonl.gz')?.reason;
    expect(reason).toMatch(
      /^missing; not from the state in .*there is no .*; not from the snapshot 2026-06-01 and the events in .*is damaged/,
    );
    expect(await main.store.head(keyOf(SECOND, 'snapshot/scores.jsonl.gz'))).toBeUndefined();
  });
});

describe('a file that can only be had differently', () => {
  /** Publishes the first night's models anew as another zlib would have packed them. */
  async function repackModels(): Promise<string> {
    const loaded = await loadCatalog(main.store);
    const entry = loaded.catalog?.releases[0] as CatalogEntry;
    const release = await loadRelease(main.store, entry);
    const path = RELEASE_PATHS.snapshot('models');
    const packed = gzipSync(gunzipSync((await main.store.get(releaseKey(entry, path)))?.body ?? ''), { level: 1 });
    const recorded = { bytes: packed.length, sha256: sha256(packed) };
    const files = release.files.map((file) => (file.path === path ? { ...file, ...recorded } : file));
    const datasets = release.manifest.datasets.map((file) =>
      file.name === 'models' ? { ...file, ...recorded } : file,
    );
    const body = Buffer.from(JSON.stringify({ ...release, files, manifest: { ...release.manifest, datasets } }));
    await main.store.put(releaseKey(entry, path), packed);
    await main.store.put(releaseKey(entry, RELEASE_PATHS.release), body);
    const releases = loaded.catalog?.releases.with(0, { ...entry, release_sha256: sha256(body) }) ?? [];
    await swapCatalog(main.store, loaded, { releases });
    return releaseKey(entry, path);
  }

  it('is refused because another zlib packs the same records into other bytes', async () => {
    const key = await repackModels();
    await main.damage(key, 'lost');
    const deps = { ...upkeepDeps(join(work, 'of another record')), origin: main.store, second: undefined };
    const { ok, files } = await republish(FIRST, { ...deps, onFile: () => {} });
    expect(ok).toBe(false);
    expect(files.find(({ path }) => path === RELEASE_PATHS.snapshot('models'))).toMatchObject({
      status: 'refused',
      reason: expect.stringMatching(/gives the recorded records, but zlib .* packs them differently/),
    });
    expect(await main.store.head(key)).toBeUndefined();
  });

  it('is never taken from a release.json that is not the one in the catalog', async () => {
    await main.damage(keyOf(FIRST, RELEASE_PATHS.published), 'a bit flipped');
    await main.damage(keyOf(FIRST, RELEASE_PATHS.release), 'a bit flipped');
    await expect(republishDay(FIRST, main.store)).rejects.toMatchObject({ code: 'corrupt' });
    await expect(republishDay(FIRST, main.store, mirror.store)).rejects.toMatchObject({ code: 'corrupt' });
    expect(await mirror.hashes()).toEqual({});
  });
});

describe('a second store', { timeout: 60_000 }, () => {
  const without = (hashes: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(hashes).filter(([key]) => key !== 'catalog.json'));

  it('that gets every night in order is the same store, and proves itself', async () => {
    for (const day of DAYS) {
      expect(await republishDay(day, main.store, mirror.store)).toMatchObject({ ok: true, listed: true });
    }
    expect(without(await mirror.hashes())).toEqual(without(await main.hashes()));
    expect((await loadCatalog(mirror.store)).catalog?.releases).toEqual(entries);
    expect(await problemsIn(mirror.store)).toEqual([]);
  });

  it('is left as it is by a second run', async () => {
    await republishDay(FIRST, main.store, mirror.store);
    const before = await mirror.versions();
    expect(outcomes(await republishDay(FIRST, main.store, mirror.store))).toEqual([]);
    expect(await mirror.versions()).toEqual(before);
  });

  it('gets files but lists nothing where the release does not continue its newest', async () => {
    const early = await republishDay(SECOND, main.store, mirror.store);
    expect(early).toMatchObject({ ok: true, listed: false });
    expect(early.not_listed_because).toContain('is empty, and 2026-06-02 is not the first night');
    await republishDay(FIRST, main.store, mirror.store);
    const late = await republishDay(THIRD, main.store, mirror.store);
    expect(late.not_listed_because).toContain('is 2026-06-01, and 2026-06-03 continues another release');
    expect((await loadCatalog(mirror.store)).catalog?.releases.map(({ day }) => day)).toEqual([FIRST]);
    expect(await mirror.store.head(keyOf(THIRD, RELEASE_PATHS.published))).toBeUndefined();
    expect(await republishDay(SECOND, main.store, mirror.store)).toMatchObject({ listed: true });
  });

  it('does not list a release of which a file can not be had', async () => {
    for (const path of LOST_FOR_GOOD) await main.damage(keyOf(FIRST, path), 'a bit flipped');
    const result = await republishDay(FIRST, main.store, mirror.store);
    expect(result).toMatchObject({ ok: false, listed: false, not_listed_because: 'it is not complete' });
    expect((await loadCatalog(mirror.store)).catalog).toBeUndefined();
  });

  it('gets rebuilt what is damaged in the first one, which stays as it is', async () => {
    const sound = await main.hashes();
    await main.damage(keyOf(FIRST, 'snapshot/models.jsonl.gz'), 'cut off');
    const before = await main.versions();
    const result = await republishDay(FIRST, main.store, mirror.store);
    expect(result.files.find(({ path }) => path === 'snapshot/models.jsonl.gz')?.status).toBe('rebuilt');
    const key = keyOf(FIRST, 'snapshot/models.jsonl.gz');
    expect((await mirror.hashes())[key]).toBe(sound[key]);
    expect(await main.versions()).toEqual(before);
  });

  it('of another record is refused and gets nothing, whether it has that day or not', async () => {
    const other = await openTemporaryStore({ runPrefix: 'OTHER' });
    await other.night(fixtureSource('days'), FIRST);
    const before = await readdir(other.folder, { recursive: true });
    for (const day of [FIRST, THIRD]) {
      await expect(republishDay(day, main.store, other.deps.store)).rejects.toMatchObject({
        code: 'usage',
        message: `${other.url} can't have a copy from ${main.store.url}: it holds another record`,
      });
    }
    expect(await readdir(other.folder, { recursive: true })).toEqual(before);
    await other.dispose();
  });

  it('that has lost its catalog does not begin a new one over its releases', async () => {
    const broken = await openStoreFiles(nights.folder);
    await broken.damage('catalog.json', 'lost');
    const { listed, not_listed_because } = await republishDay(FIRST, main.store, broken.store);
    expect(listed).toBe(false);
    expect(not_listed_because).toContain('catalog rebuild');
    await broken.dispose();
  });

  it('whose catalog lags behind is brought up to date', async () => {
    const behind = await openStoreFiles(nights.folder);
    await swapCatalog(behind.store, await loadCatalog(behind.store), { releases: entries.slice(0, 2) });
    const result = await republishDay(THIRD, main.store, behind.store);
    expect(result).toMatchObject({ ok: true, listed: true });
    expect(outcomes(result)).toEqual([]);
    expect((await loadCatalog(behind.store)).catalog?.releases).toEqual(entries);
    await behind.dispose();
  });
});

describe('republish and prune', { timeout: 60_000 }, () => {
  const pruneStore = (store: ObjectStore, now = new Date()) =>
    prune(
      { dryRun: false },
      {
        ...upkeepDeps(work),
        store,
        clock: () => now,
        retention: { ...RETENTION, snapshots: 1, states: 1 },
        onPlan: () => {},
        onRemoval: () => {},
      },
    );

  it('never bring back what the catalog no longer lists', async () => {
    await pruneStore(main.store);
    const before = await main.versions();
    const result = await republishDay(SECOND, main.store);
    expect(outcomes(result)).toEqual([]);
    expect(result.files.some(({ path }) => path.startsWith('state/') || path.startsWith('snapshot/'))).toBe(false);
    expect(await main.versions()).toEqual(before);
  });

  it('racing in the second store lose nothing: what prune took while it was unlisted is put again', async () => {
    await republishDay(FIRST, main.store, mirror.store);
    await republishDay(THIRD, main.store, mirror.store);
    let raced = false;
    const inAYear = new Date(Date.now() + 365 * 86_400_000);
    const put: ObjectStore['put'] = async (key, bytes, condition) => {
      if (key === 'catalog.json' && !raced) {
        raced = true;
        await prune(
          { dryRun: false },
          {
            ...upkeepDeps(work),
            store: mirror.store,
            clock: () => inAYear,
            retention: RETENTION,
            onPlan: () => {},
            onRemoval: () => {},
          },
        );
        expect(await mirror.store.head(keyOf(SECOND, RELEASE_PATHS.release))).toBeUndefined();
      }
      return mirror.store.put(key, bytes, condition);
    };
    const racing = new Proxy(mirror.store, {
      get: (store, name) => {
        if (name === 'put') return put;
        const value: unknown = Reflect.get(store, name);
        return typeof value === 'function' ? value.bind(store) : value;
      },
    });
    const result = await republishDay(SECOND, main.store, racing);
    expect(raced).toBe(true);
    expect(result).toMatchObject({ ok: true, listed: true });
    expect(await problemsIn(mirror.store)).toEqual([]);
  });
});
