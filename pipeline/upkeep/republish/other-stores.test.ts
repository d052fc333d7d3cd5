import { readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { RETENTION, type Retention } from '../../../schemas/retention.ts';
import { loadCatalog, swapCatalog } from '../../../storage/catalog.ts';
import { RELEASE_PATHS } from '../../../storage/keys.ts';
import type { ObjectStore } from '../../../storage/object-store.ts';
import { SAMPLE_DAYS } from '../../../test/support/pipeline/sample-store.ts';
import { storeWith } from '../../../test/support/pipeline/store-with.ts';
import { fixtureSource, openTemporaryStore } from '../../../test/support/pipeline/temporary-store.ts';
import { pruneDeps } from '../../../test/support/pipeline/upkeep.ts';
import {
  LOST_FOR_GOOD,
  outcomesOf,
  RELEASE_FILES,
  useRepublish,
} from '../../../test/support/pipeline/use-republish.ts';
import { prune } from '../prune.ts';

const [FIRST, SECOND, THIRD] = SAMPLE_DAYS;
const on = useRepublish();

it.each(['lost', 'a bit flipped'] as const)(
  'every kind of file that is %s comes back from a second store',
  async (kind) => {
    const backup = await on.copy();
    const before = await on.main.hashes();
    const paths = RELEASE_FILES;
    for (const path of paths) await on.main.damage(on.keyOf(THIRD, path), kind);
    const result = await on.republishDay(THIRD, backup.store, on.main.store);
    expect([...outcomesOf(result)].sort()).toEqual(paths.map((path) => `${path} restored`).sort());
    expect(await on.main.hashes()).toEqual(before);
    expect(await on.problemsIn(on.main.store)).toEqual([]);
  },
);

it('what nothing here can give back comes from a second store that is named, by its hash alone', async () => {
  const [backup, wrong] = [await on.copy(), await on.copy()];
  const before = await on.main.hashes();
  const paths = [...LOST_FOR_GOOD, RELEASE_PATHS.release, RELEASE_PATHS.published];
  for (const path of paths) {
    await on.main.damage(on.keyOf(SECOND, path), 'a bit flipped');
    await wrong.damage(on.keyOf(SECOND, path), 'a bit flipped');
  }
  const from = (store: ObjectStore) => on.republishFrom(SECOND, store);
  await expect(from(wrong.store)).rejects.toMatchObject({ code: 'corrupt' });
  const result = await from(backup.store);
  expect([...outcomesOf(result)].sort()).toEqual(
    ['published', 'release.json', ...LOST_FOR_GOOD].map((path) => `${path} restored`),
  );
  expect(await on.main.hashes()).toEqual(before);
});

describe('a store that files are to be taken from', () => {
  const from = (store: ObjectStore) => on.republishFrom(THIRD, store);

  it('is refused where it holds another record, before any file is looked at', async () => {
    const other = await openTemporaryStore({ runPrefix: 'OTHER' });
    for (const day of SAMPLE_DAYS) await other.night(fixtureSource('days'), day);
    await on.main.damage(on.keyOf(THIRD, RELEASE_PATHS.state('scores')), 'lost');
    const before = await on.main.versions();
    await expect(from(other.deps.store)).rejects.toMatchObject({
      code: 'usage',
      message: `${other.url} can't give files to ${on.main.store.url}: it has other releases`,
    });
    expect(await on.main.versions()).toEqual(before);
    await other.dispose();
  });

  it('is refused where it went its own way after some days, even if this day is not among them', async () => {
    const backup = await on.copy();
    const loaded = await loadCatalog(backup.store);
    const changed = on.entries.map((entry) =>
      entry.day === SECOND ? { ...entry, release_sha256: '0'.repeat(64) } : entry,
    );
    await swapCatalog(backup.store, loaded, { releases: changed });
    await expect(from(backup.store)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(/it has other releases$/),
    });
  });

  it('may know fewer days', async () => {
    const backup = await on.copy();
    await swapCatalog(backup.store, await loadCatalog(backup.store), { releases: on.entries.slice(0, 1) });
    await on.main.damage(on.keyOf(THIRD, RELEASE_PATHS.state('scores')), 'lost');
    expect(outcomesOf(await from(backup.store))).toEqual([`${RELEASE_PATHS.state('scores')} restored`]);
  });

  it('has to have this very release where it has no catalog to tell its record', async () => {
    const backup = await on.copy();
    await backup.damage('catalog.json', 'lost');
    await on.main.damage(on.keyOf(THIRD, RELEASE_PATHS.state('scores')), 'lost');
    expect(outcomesOf(await from(backup.store))).toEqual([`${RELEASE_PATHS.state('scores')} restored`]);
    for (const path of [RELEASE_PATHS.release, RELEASE_PATHS.published]) {
      await backup.damage(on.keyOf(THIRD, path), 'a bit flipped');
    }
    await expect(from(backup.store)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(
        `can't give files to ${on.main.store.url}: it has neither a catalog nor this release: `,
      ),
    });
    await expect(from(on.mirror.store)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(/release\.json is missing/),
    });
  });

  it('is another one', async () => {
    await expect(from(on.main.store)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(/it is the same store$/),
    });
  });
});

describe('a second store', { timeout: 60_000 }, () => {
  const without = (hashes: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(hashes).filter(([key]) => key !== 'catalog.json'));

  it('that gets every night in order is the same store, and proves itself', async () => {
    for (const day of SAMPLE_DAYS) {
      expect(await on.republishDay(day, on.main.store, on.mirror.store)).toMatchObject({ ok: true, listed: true });
    }
    expect(without(await on.mirror.hashes())).toEqual(without(await on.main.hashes()));
    expect((await loadCatalog(on.mirror.store)).catalog?.releases).toEqual(on.entries);
    expect(await on.problemsIn(on.mirror.store)).toEqual([]);
  });

  it('is left as it is by a second run', async () => {
    await on.republishDay(FIRST, on.main.store, on.mirror.store);
    const before = await on.mirror.versions();
    expect(outcomesOf(await on.republishDay(FIRST, on.main.store, on.mirror.store))).toEqual([]);
    expect(await on.mirror.versions()).toEqual(before);
  });

  it('gets files but lists nothing where the release does not continue its newest', async () => {
    const early = await on.republishDay(SECOND, on.main.store, on.mirror.store);
    expect(early).toMatchObject({ ok: true, listed: false });
    expect(early.not_listed_because).toContain('is empty, and 2026-06-02 is not the first night');
    await on.republishDay(FIRST, on.main.store, on.mirror.store);
    const late = await on.republishDay(THIRD, on.main.store, on.mirror.store);
    expect(late.not_listed_because).toContain('is 2026-06-01, and 2026-06-03 continues another release');
    expect((await loadCatalog(on.mirror.store)).catalog?.releases.map(({ day }) => day)).toEqual([FIRST]);
    expect(await on.mirror.store.head(on.keyOf(THIRD, RELEASE_PATHS.published))).toBeUndefined();
    expect(await on.republishDay(SECOND, on.main.store, on.mirror.store)).toMatchObject({ listed: true });
  });

  it('does not list a release of which a file can not be had', async () => {
    for (const path of LOST_FOR_GOOD) await on.main.damage(on.keyOf(FIRST, path), 'a bit flipped');
    const result = await on.republishDay(FIRST, on.main.store, on.mirror.store);
    expect(result).toMatchObject({ ok: false, listed: false, not_listed_because: 'it is not complete' });
    expect((await loadCatalog(on.mirror.store)).catalog).toBeUndefined();
  });

  it('of another record is refused and gets nothing, whether it has that day or not', async () => {
    const other = await openTemporaryStore({ runPrefix: 'OTHER' });
    await other.night(fixtureSource('days'), FIRST);
    const before = await readdir(other.folder, { recursive: true });
    for (const day of [FIRST, THIRD]) {
      await expect(on.republishDay(day, on.main.store, other.deps.store)).rejects.toMatchObject({
        code: 'usage',
        message: `${other.url} can't have a copy from ${on.main.store.url}: it has other releases`,
      });
    }
    expect(await readdir(other.folder, { recursive: true })).toEqual(before);
    await other.dispose();
  });

  it('that has lost its catalog does not begin a new one over its releases', async () => {
    const broken = await on.copy();
    await broken.damage('catalog.json', 'lost');
    const { listed, not_listed_because } = await on.republishDay(FIRST, on.main.store, broken.store);
    expect(listed).toBe(false);
    expect(not_listed_because).toContain('catalog rebuild');
  });

  it('whose catalog lags behind is brought up to date', async () => {
    const behind = await on.copy();
    await swapCatalog(behind.store, await loadCatalog(behind.store), { releases: on.entries.slice(0, 2) });
    const result = await on.republishDay(THIRD, on.main.store, behind.store);
    expect(result).toMatchObject({ ok: true, listed: true });
    expect(outcomesOf(result)).toEqual([]);
    expect((await loadCatalog(behind.store)).catalog?.releases).toEqual(on.entries);
  });
});

describe('republish and prune', { timeout: 60_000 }, () => {
  const pruneStore = (store: ObjectStore, retention: Retention, now = new Date()) =>
    prune({ dryRun: false }, { ...pruneDeps(on.work), store, clock: () => now, retention });

  it('never bring back what the catalog no longer lists', async () => {
    await pruneStore(on.main.store, { ...RETENTION, snapshots: 1, states: 1 });
    const before = await on.main.versions();
    const result = await on.republishDay(SECOND, on.main.store);
    expect(outcomesOf(result)).toEqual([]);
    expect(result.files.some(({ path }) => path.startsWith('state/') || path.startsWith('snapshot/'))).toBe(false);
    expect(await on.main.versions()).toEqual(before);
  });

  it('racing in the second store lose nothing: what prune took while it was unlisted is put again', async () => {
    await on.republishDay(FIRST, on.main.store, on.mirror.store);
    await on.republishDay(THIRD, on.main.store, on.mirror.store);
    let raced = false;
    const inAYear = new Date(Date.now() + 365 * 86_400_000);
    const put: ObjectStore['put'] = async (key, bytes, condition) => {
      if (key === 'catalog.json' && !raced) {
        raced = true;
        await pruneStore(on.mirror.store, RETENTION, inAYear);
        expect(await on.mirror.store.head(on.keyOf(SECOND, RELEASE_PATHS.release))).toBeUndefined();
      }
      return on.mirror.store.put(key, bytes, condition);
    };
    const result = await on.republishDay(SECOND, on.main.store, storeWith(on.mirror.store, { put }));
    expect(raced).toBe(true);
    expect(result).toMatchObject({ ok: true, listed: true });
    expect(await on.problemsIn(on.mirror.store)).toEqual([]);
  });
});
