import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../runtime/errors.ts';
import type { CatalogEntry } from '../../../schemas/catalog.ts';
import { loadCatalog, loadRelease, swapCatalog } from '../../../storage/catalog.ts';
import { sha256 } from '../../../storage/hash.ts';
import { RELEASE_PATHS, releaseKey } from '../../../storage/keys.ts';
import type { ObjectStore } from '../../../storage/object-store.ts';
import { SAMPLE_DAYS } from '../../../test/support/pipeline/sample-store.ts';
import { DAMAGES } from '../../../test/support/pipeline/store-files.ts';
import { storeWith } from '../../../test/support/pipeline/store-with.ts';
import { upkeepDeps } from '../../../test/support/pipeline/upkeep.ts';
import {
  LOST_FOR_GOOD,
  outcomesOf,
  RELEASE_FILES,
  useRepublish,
} from '../../../test/support/pipeline/use-republish.ts';
import { republish } from './republish.ts';

const [FIRST, SECOND, THIRD] = SAMPLE_DAYS;
const on = useRepublish();
const isRebuildable = (path: string) => path.startsWith('snapshot/');

describe('a sound release', () => {
  it('is found to be so, file by file, and nothing is written', async () => {
    const before = await on.main.versions();
    const result = await on.republishDay(SECOND, on.main.store);
    expect(result).toMatchObject({ ok: true, snapshot: SECOND, listed: true, not_listed_because: null });
    expect(result.files.map(({ path }) => path).sort()).toEqual([...RELEASE_FILES].sort());
    expect(outcomesOf(result)).toEqual([]);
    expect(await on.main.versions()).toEqual(before);
  });

  it('that the catalog does not name is not found', async () => {
    await expect(on.republishDay('2026-05-31', on.main.store)).rejects.toMatchObject({ code: 'not_found' });
    await expect(on.republishDay(FIRST, on.mirror.store)).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe.each(DAMAGES)('a file that is %s', (kind) => {
  it('comes back byte for byte where it can be rebuilt: every file of the snapshot', async () => {
    const before = await on.main.hashes();
    const paths = RELEASE_FILES.filter(isRebuildable);
    for (const path of paths) await on.main.damage(on.keyOf(SECOND, path), kind);
    const result = await on.republishDay(SECOND, on.main.store);
    expect([...outcomesOf(result)].sort()).toEqual(paths.map((path) => `${path} rebuilt`).sort());
    expect(await on.main.hashes()).toEqual(before);
  });

  it('is refused where nothing here can give it back, and stays as it is', async () => {
    const paths = LOST_FOR_GOOD;
    for (const path of paths) await on.main.damage(on.keyOf(SECOND, path), kind);
    const before = await on.main.versions();
    const result = await on.republishDay(SECOND, on.main.store);
    expect(result.ok).toBe(false);
    expect([...outcomesOf(result)].sort()).toEqual(paths.map((path) => `${path} refused`).sort());
    for (const { status, reason } of result.files) {
      if (status === 'refused')
        expect(reason).toMatch(
          /^(missing|damaged: .*); not from .*; restore it from another store: modelstats republish 2026-06-02 --from STORE$/,
        );
    }
    expect(await on.main.versions()).toEqual(before);
  });
});

describe('the mark of a published release', () => {
  const key = () => on.keyOf(SECOND, RELEASE_PATHS.published);

  it.each([
    ['lost', 'missing'],
    ['emptied', 'damaged: 0 bytes, not'],
    ['a bit flipped', 'damaged: sha256'],
  ] as const)('that is %s is put back, and told like every other file', async (kind, fault) => {
    const before = await on.main.hashes();
    await on.main.damage(key(), kind);
    const { ok, files } = await on.republishDay(SECOND, on.main.store);
    expect(ok).toBe(true);
    expect(files.filter(({ status }) => status !== 'ok')).toEqual([
      {
        path: 'published',
        status: 'restored',
        reason: expect.stringMatching(`^${fault}.*; copied from .*release.json$`),
      },
    ]);
    expect(await on.main.hashes()).toEqual(before);
  });

  it('is told in a second store too, where the release is listed, and only there', async () => {
    const marks = async (day: string) =>
      (await on.republishDay(day, on.main.store, on.mirror.store)).files.filter(({ path }) => path === 'published');
    expect(await marks(SECOND)).toEqual([]);
    expect(await marks(FIRST)).toEqual([{ path: 'published', status: 'restored', reason: expect.any(String) }]);
    expect(await marks(FIRST)).toEqual([{ path: 'published', status: 'ok', reason: null }]);
  });

  it('that can not be put is a failure, not a silence', async () => {
    await on.main.damage(key(), 'lost');
    const putFile: ObjectStore['putFile'] = (to, ...more) =>
      to === key()
        ? Promise.reject(new AppError('store_unavailable', 'the disk is full'))
        : on.main.store.putFile(to, ...more);
    await expect(on.republishDay(SECOND, storeWith(on.main.store, { putFile }))).rejects.toThrow('the disk is full');
  });
});

describe('a snapshot whose state is gone too', () => {
  const loseState = (day: string) =>
    Promise.all(
      RELEASE_FILES.filter((path) => path.startsWith('state/')).map((path) =>
        on.main.damage(on.keyOf(day, path), 'lost'),
      ),
    );

  it('is rebuilt from the snapshot before and the events', async () => {
    const before = await on.main.hashes();
    await loseState(SECOND);
    for (const path of RELEASE_FILES.filter(isRebuildable)) await on.main.damage(on.keyOf(SECOND, path), 'lost');
    const { files } = await on.republishDay(SECOND, on.main.store);
    const after = await on.main.hashes();
    const rebuilt = files.filter(({ status }) => status === 'rebuilt');
    expect(rebuilt.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['snapshot/models.jsonl.gz', 'snapshot/pricing.jsonl.gz']),
    );
    for (const { path, reason } of rebuilt) {
      expect(after[on.keyOf(SECOND, path)]).toBe(before[on.keyOf(SECOND, path)]);
      if (path.endsWith('.gz'))
        expect(reason).toMatch(/^missing; rebuilt from the snapshot 2026-06-01 and the events in file:/);
    }
  });

  it('is rebuilt from the events alone when it was the first night', async () => {
    const before = await on.main.hashes();
    await loseState(FIRST);
    await on.main.damage(on.keyOf(FIRST, 'snapshot/models.jsonl.gz'), 'lost');
    const { files } = await on.republishDay(FIRST, on.main.store);
    expect(files.find(({ path }) => path === 'snapshot/models.jsonl.gz')?.reason).toMatch(
      /^missing; rebuilt from the events in/,
    );
    const key = on.keyOf(FIRST, 'snapshot/models.jsonl.gz');
    expect((await on.main.hashes())[key]).toBe(before[key]);
  });

  it('has its benchmarks rebuilt only where they did not change that night: they have no events', async () => {
    for (const day of [SECOND, THIRD]) {
      await loseState(day);
      await on.main.damage(on.keyOf(day, 'snapshot/benchmarks.jsonl.gz'), 'lost');
    }
    const third = async () => outcomesOf(await on.republishDay(THIRD, on.main.store));
    expect(await third()).toContain('snapshot/benchmarks.jsonl.gz refused');
    expect(outcomesOf(await on.republishDay(SECOND, on.main.store))).toContain('snapshot/benchmarks.jsonl.gz refused');
    await on.republishDay(SECOND, on.nights.deps.store, on.main.store);
    expect(await third()).toContain('snapshot/benchmarks.jsonl.gz rebuilt');
  });

  it('is refused, with every way that was tried, where the events are gone too', async () => {
    await loseState(SECOND);
    await on.main.damage(on.keyOf(SECOND, RELEASE_PATHS.changes), 'a bit flipped');
    await on.main.damage(on.keyOf(SECOND, 'snapshot/scores.jsonl.gz'), 'lost');
    const { files } = await on.republishDay(SECOND, on.main.store);
    const reason = files.find(({ path }) => path === 'snapshot/scores.jsonl.gz')?.reason;
    expect(reason).toMatch(
      /^missing; not from the state in .*there is no .*; not from the snapshot 2026-06-01 and the events in .*is damaged/,
    );
    expect(await on.main.store.head(on.keyOf(SECOND, 'snapshot/scores.jsonl.gz'))).toBeUndefined();
  });
});

describe('a file that can only be had differently', () => {
  /** Publishes the first night's models anew as another zlib would have packed them. */
  async function repackModels(): Promise<string> {
    const loaded = await loadCatalog(on.main.store);
    const entry = loaded.catalog?.releases[0] as CatalogEntry;
    const release = await loadRelease(on.main.store, entry);
    const path = RELEASE_PATHS.snapshot('models');
    const packed = gzipSync(gunzipSync((await on.main.store.get(releaseKey(entry, path)))?.body ?? ''), { level: 1 });
    const recorded = { bytes: packed.length, sha256: sha256(packed) };
    const files = release.files.map((file) => (file.path === path ? { ...file, ...recorded } : file));
    const datasets = release.manifest.datasets.map((file) =>
      file.name === 'models' ? { ...file, ...recorded } : file,
    );
    const body = Buffer.from(JSON.stringify({ ...release, files, manifest: { ...release.manifest, datasets } }));
    await on.main.store.put(releaseKey(entry, path), packed);
    await on.main.store.put(releaseKey(entry, RELEASE_PATHS.release), body);
    const releases = loaded.catalog?.releases.with(0, { ...entry, release_sha256: sha256(body) }) ?? [];
    await swapCatalog(on.main.store, loaded, { releases });
    return releaseKey(entry, path);
  }

  it('is refused because another zlib packs the same records into other bytes', async () => {
    const key = await repackModels();
    await on.main.damage(key, 'lost');
    const deps = { ...upkeepDeps(join(on.work, 'of another record')), origin: on.main.store, second: undefined };
    const { ok, files } = await republish(FIRST, { ...deps, onFile: () => {} });
    expect(ok).toBe(false);
    expect(files.find(({ path }) => path === RELEASE_PATHS.snapshot('models'))).toMatchObject({
      status: 'refused',
      reason: expect.stringMatching(/gives the recorded records, but zlib .* packs them differently/),
    });
    expect(await on.main.store.head(key)).toBeUndefined();
  });

  it('is never taken from a release.json that is not the one in the catalog', async () => {
    await on.main.damage(on.keyOf(FIRST, RELEASE_PATHS.published), 'a bit flipped');
    await on.main.damage(on.keyOf(FIRST, RELEASE_PATHS.release), 'a bit flipped');
    await expect(on.republishDay(FIRST, on.main.store)).rejects.toMatchObject({ code: 'corrupt' });
    await expect(on.republishDay(FIRST, on.main.store, on.mirror.store)).rejects.toMatchObject({ code: 'corrupt' });
    expect(await on.mirror.hashes()).toEqual({});
  });
});
