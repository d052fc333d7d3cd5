/** What a night reads and writes in the store, and in which order (specification "Publishing"; "Store layout"). */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { type NightDeps, runNight } from '../../pipeline/night/night.ts';
import { prune } from '../../pipeline/upkeep/prune.ts';
import type { Day } from '../../runtime/day.ts';
import { sha256 } from '../../storage/hash.ts';
import { CATALOG_KEY, RELEASE_PATHS, releaseKey } from '../../storage/keys.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import { listReleases, newestOf, readRelease } from '../support/pipeline/published.ts';
import { storeWith } from '../support/pipeline/store-with.ts';
import { pruneDeps } from '../support/pipeline/upkeep.ts';
import { useStore } from '../support/pipeline/use-store.ts';
import { writeDay } from '../support/pipeline/write-day.ts';
import { useFolder } from '../support/temporary-folder.ts';

const DAYS: readonly [Day, Day, Day] = ['2026-06-01', '2026-06-02', '2026-06-03'];
const UPDATED = { updated_at: '2026-05-31T00:00:00Z' };

const store = useStore();
const source = useFolder({ perTest: true });
beforeEach(async () => {
  for (const [index, day] of DAYS.entries()) {
    await writeDay(source(day), {
      models: [{ id: 'a', name: `A ${index}`, ...UPDATED }],
      pricing: index === 0 ? undefined : [{ model_id: 'a', provider: 'p', input_per_million: index, ...UPDATED }],
    });
  }
});

type Meddle = (bytes: Uint8Array) => Uint8Array;

/** The store, with every call noted as `method key`; `meddle` changes what files whose key ends so are kept as. */
function watched(calls: string[], meddle: Readonly<Record<string, Meddle>> = {}): ObjectStore {
  const objects = store.deps.store;
  const note = (call: string) => void calls.push(call);
  return storeWith(objects, {
    put: (key, ...rest) => {
      note(`put ${key}`);
      return objects.put(key, ...rest);
    },
    stream: (key) => {
      note(`stream ${key}`);
      return objects.stream(key);
    },
    putFile: async (key, path, ...rest) => {
      note(`putFile ${key}`);
      const [, change] = Object.entries(meddle).find(([end]) => key.endsWith(end)) ?? [];
      if (change === undefined) return objects.putFile(key, path, ...rest);
      return objects.put(key, change(await readFile(path)), { ifAbsent: true });
    },
  });
}

const flipped: Meddle = (bytes) => bytes.map((byte, at) => (at === 20 ? byte ^ 1 : byte));

function nightOf(day: Day, deps: Partial<NightDeps> = {}) {
  const request = { day, source: source(), dryRun: false, accept: true, acceptSuspects: [] };
  return runNight(request, { ...store.deps, clock: () => new Date(`${day}T12:34:56.789Z`), ...deps });
}

/** Publishes the first day, which most tests begin with. */
const begin = () => store.night(source(), DAYS[0], { accept: true });

const writtenIn = (calls: readonly string[]) =>
  calls.flatMap((call) => (call.startsWith('put') ? [call.replace(/^\w+ /, '')] : []));

test('a night uploads under a prefix of its own, reads every file back, then writes release.json, then the catalog', async () => {
  await begin();
  const calls: string[] = [];
  await nightOf(DAYS[1], { store: watched(calls) });
  const entry = await newestOf(store);
  const { files } = await readRelease(store, entry);
  const uploads = files.map(({ path }) => releaseKey(entry, path));
  const last = [RELEASE_PATHS.release, RELEASE_PATHS.published].map((path) => releaseKey(entry, path));
  const written = writtenIn(calls);
  expect([...written].sort()).toEqual([...uploads, ...last, CATALOG_KEY].sort());
  expect(written.slice(-3)).toEqual([last[0], CATALOG_KEY, last[1]]);
  for (const key of [...uploads, last[0] ?? '']) {
    const put = calls.findIndex((call) => call.startsWith('put') && call.endsWith(` ${key}`));
    const [read, swap] = [calls.indexOf(`stream ${key}`), calls.indexOf(`put ${CATALOG_KEY}`)];
    expect([put >= 0, put < read, read < swap], key).toEqual([true, true, true]);
  }
});

test('a file that reads back differently is not published', async () => {
  await begin();
  const spoiled = watched([], { 'state/models.parquet': flipped });
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
  const price = { model_id: 'a', provider: 'p', input_per_million: 1, effective_from: '2026-05-20' };
  await store.backfill([price], '2026-06-04T00:00:00Z');
  const retention = { changesMonths: 1, snapshots: 1, states: 1 };
  const clock = () => new Date('2026-06-04T06:00:00Z');
  await prune({ dryRun: false }, { ...pruneDeps(store.deps.workFolder), store: deps.store, clock, retention });
  const written = writtenIn(calls);
  expect(written.filter((key) => key.startsWith('backfill/'))).toHaveLength(2);
  expect(written.filter((key, index) => written.indexOf(key) !== index)).toEqual(Array(4).fill(CATALOG_KEY));
});

test('yesterday’s state is checked by its hash before anything is compared with it', async () => {
  await begin();
  const entry = await newestOf(store);
  for (const path of [RELEASE_PATHS.state('models'), RELEASE_PATHS.suspects, RELEASE_PATHS.removed]) {
    const file = join(store.folder, releaseKey(entry, path));
    const bytes = await readFile(file);
    await writeFile(file, flipped(bytes));
    await expect(nightOf(DAYS[1]), path).rejects.toMatchObject({
      code: 'corrupt',
      message: expect.stringMatching(`${path}.*restore it first: modelstats republish ${DAYS[0]}`),
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
      return { name: `${dataset}.jsonl`, dataset, bytes: bytes.length, sha256: sha256(bytes) };
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

const RANKED = { models: [{ id: 'a', name: 'A' }], rankings: [{ model_id: 'a', category: 'general', rank: 1 }] };
const methodOfNewest = async () => (await readRelease(store, await newestOf(store))).ranking_method;

test('the method of rankings stays with them: a night that does not capture any carries theirs', async () => {
  await store.publish('2026-06-01', RANKED, { settings: { ranking_method: 'elo' } });
  expect(await methodOfNewest()).toBe('elo');
  await store.publish('2026-06-02', { models: RANKED.models }, { settings: { ranking_method: 'glicko-2' } });
  expect(await methodOfNewest()).toBe('elo');
  await store.publish('2026-06-03', RANKED);
  expect(await methodOfNewest()).toBeUndefined();
});

test('a source may say it by category', async () => {
  const methods = { general: 'elo', coding: 'bradley-terry' };
  await store.publish('2026-06-04', RANKED, { settings: { ranking_method: methods } });
  expect(await methodOfNewest()).toEqual(methods);
});

test('a method that is no word rejects the night', async () => {
  for (const wrong of ['True Skill', { general: 'True Skill' }, 1, null]) {
    const publish = store.publish('2026-06-05', RANKED, {
      settings: { ranking_method: wrong },
    });
    await expect(publish).rejects.toThrow(/ranking_method[^ ]*: must be like bradley-terry: up to 64 of/);
  }
});
