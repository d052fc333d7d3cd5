/** What a night reads and writes in the store, and in which order (specification "Publishing"; "Store layout"). */
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { type NightDeps, runNight } from '../../pipeline/night/night.ts';
import { prune } from '../../pipeline/upkeep/prune.ts';
import type { Day } from '../../runtime/day.ts';
import { CATALOG_KEY, RELEASE_PATHS, releaseKey } from '../../storage/keys.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import { listReleases, newestOf, readRelease } from '../support/pipeline/published.ts';
import { pruneDeps } from '../support/pipeline/upkeep.ts';
import { useStore } from '../support/pipeline/use-store.ts';
import { writeDay } from '../support/pipeline/write-day.ts';
import { useTestFolder } from '../support/use-test-folder.ts';

const DAYS: readonly [Day, Day, Day] = ['2026-06-01', '2026-06-02', '2026-06-03'];
const UPDATED = { updated_at: '2026-05-31T00:00:00Z' };

const store = useStore();
const source = useTestFolder();
beforeEach(async () => {
  for (const [index, day] of DAYS.entries()) {
    await writeDay(source(day), {
      models: [{ id: 'a', name: `A ${index}`, ...UPDATED }],
      pricing: index === 0 ? undefined : [{ model_id: 'a', provider: 'p', input_per_million: index, ...UPDATED }],
    });
  }
});

const METHODS = ['put', 'putFile', 'stream', 'get'] as const;
type Method = (typeof METHODS)[number];
type Meddle = (bytes: Uint8Array) => Uint8Array;

/** The store, with every call noted as `method key`; `meddle` changes what files whose key ends so are kept as. */
function watched(calls: string[], meddle: Readonly<Record<string, Meddle>> = {}): ObjectStore {
  return new Proxy(store.deps.store, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      const method = METHODS.find((noted) => noted === name);
      if (method === undefined) return value.bind(target) as unknown;
      return async (key: string, ...rest: unknown[]) => {
        calls.push(`${method} ${key}`);
        const [, change] = Object.entries(meddle).find(([end]) => key.endsWith(end)) ?? [];
        if (change === undefined || method !== 'putFile') return value.call(target, key, ...rest) as unknown;
        return target.put(key, change(await readFile(String(rest[0]))), { ifAbsent: true });
      };
    },
  });
}

function nightOf(day: Day, deps: Partial<NightDeps> = {}) {
  const request = { day, source: source(), dryRun: false, accept: true, acceptSuspects: [] };
  return runNight(request, { ...store.deps, clock: () => new Date(`${day}T12:34:56.789Z`), ...deps });
}

const keysOf = (calls: readonly string[], ...methods: readonly Method[]) =>
  calls
    .filter((call) => methods.some((method) => call.startsWith(`${method} `)))
    .map((call) => call.split(' ')[1] ?? '');

test('a night uploads under a prefix of its own, reads every file back, then writes release.json, then the catalog', async () => {
  await nightOf(DAYS[0]);
  const calls: string[] = [];
  await nightOf(DAYS[1], { store: watched(calls) });
  const entry = await newestOf(store);
  const { files } = await readRelease(store, entry);
  const uploads = files.map(({ path }) => releaseKey(entry, path));
  const last = [RELEASE_PATHS.release, RELEASE_PATHS.published].map((path) => releaseKey(entry, path));
  const written = keysOf(calls, 'put', 'putFile');
  expect([...written].sort()).toEqual([...uploads, ...last, CATALOG_KEY].sort());
  expect(written.slice(-3)).toEqual([last[0], CATALOG_KEY, last[1]]);
  for (const key of [...uploads, last[0] ?? '']) {
    const [put, read, swap] = [
      calls.findIndex((call) => /^put(File)? /.test(call) && call.endsWith(` ${key}`)),
      calls.indexOf(`stream ${key}`),
      calls.indexOf(`put ${CATALOG_KEY}`),
    ];
    expect([put >= 0, put < read, read < swap], key).toEqual([true, true, true]);
  }
});

test('a file that reads back differently is not published', async () => {
  await nightOf(DAYS[0]);
  const spoiled = watched([], {
    'state/models.parquet': (bytes) => bytes.map((byte, at) => (at === 20 ? byte ^ 1 : byte)),
  });
  await expect(nightOf(DAYS[1], { store: spoiled })).rejects.toMatchObject({
    code: 'corrupt',
    message: expect.stringContaining('state/models.parquet reads back differently from what was written'),
  });
  expect((await listReleases(store)).map(({ day }) => day)).toEqual([DAYS[0]]);
});

test('over nights, a backfill and a prune nothing is written over but catalog.json', async () => {
  const calls: string[] = [];
  const deps = { store: watched(calls) };
  for (const day of DAYS) await nightOf(day, deps);
  await nightOf(DAYS[2], deps);
  Object.assign(store.deps, deps);
  await store.backfill(
    [{ model_id: 'a', provider: 'p', input_per_million: 1, effective_from: '2026-05-20' }],
    '2026-06-04T00:00:00Z',
  );
  const retention = { changesMonths: 1, snapshots: 1, states: 1 };
  const clock = () => new Date('2026-06-04T06:00:00Z');
  await prune({ dryRun: false }, { ...pruneDeps(store.deps.workFolder), store: deps.store, clock, retention });
  const written = keysOf(calls, 'put', 'putFile');
  expect(written.filter((key) => key.startsWith('backfill/'))).toHaveLength(2);
  expect(written.filter((key, index) => written.indexOf(key) !== index)).toEqual(Array(4).fill(CATALOG_KEY));
});

test('yesterday’s state is checked by its hash before anything is compared with it', async () => {
  await nightOf(DAYS[0]);
  const entry = await newestOf(store);
  for (const path of [RELEASE_PATHS.state('models'), RELEASE_PATHS.suspects, RELEASE_PATHS.removed]) {
    const file = join(store.folder, releaseKey(entry, path));
    const bytes = await readFile(file);
    await writeFile(
      file,
      bytes.map((byte, at) => (at === 20 ? byte ^ 1 : byte)),
    );
    await expect(nightOf(DAYS[1]), path).rejects.toMatchObject({
      code: 'corrupt',
      message: expect.stringMatching(`${path}.*put it back first: modelstats republish ${DAYS[0]}`),
    });
    await writeFile(file, bytes);
  }
  expect(await nightOf(DAYS[1])).toMatchObject({ status: 'published' });
});

test('release.json tells size and hash of the source’s files', async () => {
  await nightOf(DAYS[1]);
  const entry = await newestOf(store);
  const names = ['models', 'pricing'] as const;
  const expected = await Promise.all(
    names.map(async (dataset) => {
      const bytes = await readFile(source(DAYS[1], `${dataset}.jsonl`));
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      return { name: `${dataset}.jsonl`, dataset, bytes: bytes.length, sha256 };
    }),
  );
  expect((await readRelease(store, entry)).source_files).toEqual(expected);
});

test('data_as_of is when the capture began, and of a day that was over its last second; published_at when the files were written', async () => {
  const times = ['2026-06-01T12:00:00.250Z', '2026-06-01T12:05:00.000Z'];
  let stage = 'before';
  const clock = () => new Date(stage === 'before' || stage === 'capture' ? (times[0] ?? '') : (times[1] ?? ''));
  await nightOf(DAYS[0], { clock, onStage: (name) => (stage = name) });
  await nightOf(DAYS[1], { clock: () => new Date('2026-06-03T00:20:00Z') });
  const manifests = await Promise.all((await listReleases(store)).map((entry) => readRelease(store, entry)));
  expect(manifests.map(({ manifest }) => [manifest.data_as_of, manifest.published_at])).toEqual([
    ['2026-06-01T12:00:00.250Z', '2026-06-01T12:05:00Z'],
    ['2026-06-02T23:59:59Z', '2026-06-03T00:20:00Z'],
  ]);
});
