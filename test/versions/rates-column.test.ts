import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { checkCopy } from '../../client/sync/check.ts';
import { Scratch } from '../../client/sync/scratch.ts';
import { rebuildCatalog } from '../../pipeline/upkeep/catalog-rebuild.ts';
import { correct } from '../../pipeline/upkeep/correct.ts';
import { mirror } from '../../pipeline/upkeep/mirror.ts';
import { prune } from '../../pipeline/upkeep/prune.ts';
import { republish } from '../../pipeline/upkeep/republish/republish.ts';
import { verify } from '../../pipeline/upkeep/verify.ts';
import { addDays, type Day } from '../../runtime/day.ts';
import type { CatalogEntry } from '../../schemas/catalog.ts';
import { loadCatalog } from '../../storage/catalog.ts';
import { releaseKey } from '../../storage/keys.ts';
import { forgetColumn } from '../support/client/older-copy.ts';
import { linesOf, newestLines, openService, type Service, syncInto, withCopy } from '../support/client/service.ts';
import { columnsIn, records, snapshotByModel, splitEvents } from '../support/pipeline/cutover.ts';
import { listReleases, readChanges, readHistory, readRelease, readSnapshot } from '../support/pipeline/published.ts';
import { useStoreFiles } from '../support/pipeline/store-files.ts';
import { copyTemporaryStore, openTemporaryStore, type TemporaryStore } from '../support/pipeline/temporary-store.ts';
import { pruneDeps, upkeepDeps, verifyDeps, withoutRun } from '../support/pipeline/upkeep.ts';
import { outcomesOf } from '../support/pipeline/use-republish.ts';
import { useFolder } from '../support/temporary-folder.ts';
import { ADDED, CUTOVER, DAYS, FIRST, LAST, MOVED, publishRatedDays, QUIET, ratesOf } from '../worlds/rated-days.ts';

const NOW = `${addDays(MOVED, 2)}T12:00:00Z`;
const NAMES = ['models', 'scores', 'pricing'] as const;
const place = useFolder();
let store: TemporaryStore;
let entries: readonly CatalogEntry[];
beforeAll(async () => {
  store = await openTemporaryStore();
  await publishRatedDays(store);
  entries = await listReleases(store);
});
afterAll(() => store.dispose());

const entryOf = (day: Day) => entries.find((candidate) => candidate.day === day) ?? expect.fail();

const snapshotOf = (day: Day, dataset: (typeof NAMES)[number]) => snapshotByModel(store, entryOf(day), dataset);
const columnsOf = (day: Day, path: string) => columnsIn(store, entryOf(day), path);

/** The events of a day, as `op entity`, those behind the first renewal apart. */
async function eventsOf(day: Day) {
  const { changes, renewals } = await splitEvents(store, entryOf(day));
  const named = (events: typeof changes) => events.map(({ op, entity_id }) => `${op} ${entity_id}`).sort();
  return { changes: named(changes), renewals: named(renewals) };
}

test('records have the fields from the cutover on, and nothing stores them before but sample sizes', async () => {
  for (const day of DAYS) {
    const isNew = day >= CUTOVER;
    expect(entryOf(day).schema_version).toBe(isNew ? '1.2' : '1.1');
    for (const dataset of NAMES) {
      for (const record of (await snapshotOf(day, dataset)).values()) {
        const found = ADDED[dataset].filter((field) => field in record);
        expect([day, dataset, found]).toEqual([day, dataset, isNew ? ADDED[dataset] : []]);
      }
      for (const path of [`state/${dataset}.parquet`, `history/${dataset}.parquet`]) {
        const columns = await columnsOf(day, path);
        const stored = ADDED[dataset].filter((field) => isNew || field === 'n');
        expect([day, path, ADDED[dataset].filter((field) => columns.includes(field))]).toEqual([day, path, stored]);
      }
    }
  }
});

test('records have their values in one form, and null where the source has none', async () => {
  const [models, scores, prices] = [
    await snapshotOf(CUTOVER, 'models'),
    await snapshotOf(CUTOVER, 'scores'),
    await snapshotOf(CUTOVER, 'pricing'),
  ];
  expect(JSON.stringify(models.get('same'))).toContain(
    '"status":"active","deprecated_on":"2027-03-01","retires_on":"2028-03-01","replaced_by":"not-listed",' +
      '"max_output_tokens":64000,"knowledge_cutoff":"2026-06","open_weights":false,' +
      '"modalities":{"input":["image","text"],"output":["text"]},"capabilities":["reasoning","tools"],"updated_at"',
  );
  expect(JSON.stringify(scores.get('same'))).toMatch(
    /"stderr":0\.5,"variant":"high","reported_by":"evaluator","source_url":"https:\/\/example\.test\/x\?run=1#a","updated_at":"[^"]+","n":100\}$/,
  );
  expect(JSON.stringify(prices.get('moved')?.rates)).toBe(JSON.stringify(ratesOf(3, 0.1)));
  for (const [dataset, found] of [
    ['models', models],
    ['scores', scores],
    ['pricing', prices],
  ] as const) {
    const plain = found.get('plain');
    expect(ADDED[dataset].map((field) => plain[field])).toEqual(ADDED[dataset].map(() => null));
  }
});

test('in the night of the cutover filling the fields is no change: all that stayed is sent anew behind the changes', async () => {
  const { changes, renewals } = await eventsOf(CUTOVER);
  expect(changes).toEqual([
    ...['delete gone', 'delete gone:p', 'delete gone:x', 'upsert moved:p', 'upsert named'],
    ...['upsert new', 'upsert new:p', 'upsert new:x'],
  ]);
  const stayed = ['counted', 'moved', 'named', 'plain', 'same'];
  const anew = [...stayed, ...stayed.map((id) => `${id}:p`), ...stayed.map((id) => `${id}:x`)];
  expect(renewals).toEqual(
    anew
      .filter((id) => id !== 'named' && id !== 'moved:p')
      .map((id) => `upsert ${id}`)
      .sort(),
  );
  for (const dataset of NAMES) {
    const [before, after] = [await snapshotOf(LAST, dataset), await snapshotOf(CUTOVER, dataset)];
    expect(after.get('same')).toEqual({
      ...before.get('same'),
      ...Object.fromEntries(ADDED[dataset].map((field) => [field, expect.anything()])),
    });
  }
  const ended = records(await readHistory(store, entryOf(CUTOVER)));
  expect(ended.map(({ dataset, record }) => `${dataset} ${record.id ?? record.model_id}`).sort()).toEqual([
    ...['models gone', 'models named', 'pricing gone', 'pricing moved', 'scores gone'],
  ]);
});

test('before the cutover only a sample size is content; after it each field is, and no other day has an event', async () => {
  expect(await eventsOf(LAST)).toEqual({ changes: ['upsert counted:x'], renewals: [] });
  expect(await eventsOf(QUIET)).toEqual({ changes: [], renewals: [] });
  expect(await eventsOf(MOVED)).toEqual({ changes: ['upsert same', 'upsert same:p', 'upsert same:x'], renewals: [] });
  const events = records(await readChanges(store, entryOf(MOVED)));
  expect(events.map(({ data, schema_version }) => [schema_version, data.status ?? data.stderr ?? data.rates])).toEqual([
    ['1.2', 'deprecated'],
    ['1.2', 0.25],
    ['1.2', ratesOf(1, 0.2)],
  ]);
  const ended = records(await readHistory(store, entryOf(MOVED)));
  expect(ended.map(({ valid_from, valid_to }) => [valid_from, valid_to])).toEqual(Array(3).fill([FIRST, QUIET]));
  const [before, after] = [await snapshotOf(QUIET, 'scores'), await snapshotOf(MOVED, 'scores')];
  expect([before.get('counted').n, after.get('same').updated_at]).toEqual([200, `${MOVED}T23:59:59Z`]);
});

describe('what keeps a store whole', () => {
  const deps = () => ({ ...upkeepDeps(store.deps.workFolder), onFile: () => {} });

  test('verify proves every snapshot, and every day by replay', async () => {
    const result = await withoutRun(verify('all', { ...verifyDeps(store.deps.workFolder), store: store.deps.store }));
    expect(result).toEqual({ ok: true, snapshots: 5, replayed: 4, problems: [] });
  });

  // Files of other datasets are those of any release: test/store/damage.test.ts.
  test.each([LAST, CUTOVER, MOVED])('every file of %s that has the fields comes back byte for byte', async (day) => {
    const { files } = await readRelease(store, entryOf(day));
    const copy = await useStoreFiles(store.folder);
    const before = await copy.hashes();
    // Changes and renewals look alike in the events of a cutover.
    const withFields = ['changes.parquet', 'manifest.json', ...NAMES.map((name) => `/${name}.`)];
    const lost = files.filter(({ path }) => withFields.some((part) => path.includes(part)));
    for (const { path } of lost.filter((file) => day !== CUTOVER || file.path !== 'changes.parquet')) {
      await copy.damage(releaseKey(entryOf(day), path), 'lost');
      const result = await republish(day, { ...deps(), origin: copy.store, second: undefined });
      expect(outcomesOf(result), path).toEqual([`${path} rebuilt`]);
      expect(await copy.hashes()).toEqual(before);
    }
  });

  test('a lost state and its snapshot come back together from the day before and the events', async () => {
    const copy = await useStoreFiles(store.folder);
    const before = await copy.hashes();
    for (const name of NAMES) {
      for (const path of [`state/${name}.parquet`, `snapshot/${name}.jsonl.gz`]) {
        await copy.damage(releaseKey(entryOf(CUTOVER), path), 'lost');
      }
    }
    await republish(CUTOVER, { ...deps(), origin: copy.store, second: undefined });
    expect(await copy.hashes()).toEqual(before);
  });

  test.each(['a state', 'a snapshot alone'])('a day with %s is the source that takes a bad day back', async (kept) => {
    const copy = await copyTemporaryStore(store);
    onTestFinished(copy.dispose);
    const clock = () => new Date(NOW);
    if (kept !== 'a state') {
      const pruneMost = {
        ...pruneDeps(copy.deps.workFolder),
        retention: { changesMonths: 13, snapshots: 90, states: 1 },
      };
      await prune({ dryRun: false }, { ...pruneMost, store: copy.deps.store, clock });
      expect(await copy.deps.store.head(releaseKey(entryOf(QUIET), 'state/models.parquet'))).toBeUndefined();
    }
    const into = place(`source of ${kept}`);
    const { warnings } = await correct(
      { day: MOVED, into },
      { store: copy.deps.store, duckdb: copy.deps.duckdb, clock },
    );
    expect(warnings).toEqual([]);
    const day = addDays(MOVED, 1);
    expect(await copy.night(into, day)).toMatchObject({ status: 'published', quarantined: 0, events: { upsert: 3 } });
    const newest = await newestLines(copy);
    for (const name of NAMES) {
      const expected = (await readSnapshot(store, entryOf(QUIET), name)).replaceAll(
        /("(?:id|model_id)":"same".*"updated_at":")[^"]*/g,
        (_, start: string) => `${start}${day}T23:59:59Z`,
      );
      expect(newest[name]).toBe(expected);
    }
  });

  test('a lost catalog is rebuilt as it was, and a mirror equals the store', async () => {
    const copy = await useStoreFiles(store.folder);
    const before = (await loadCatalog(copy.store)).catalog?.releases;
    await copy.store.delete('catalog.json');
    expect((await rebuildCatalog({ force: false }, { ...deps(), store: copy.store })).catalog.releases).toEqual(before);
    const second = await useStoreFiles();
    const sides = { from: copy.store, to: second.store, copiesMax: 2, onRelease: () => {} };
    expect(await mirror({ ...deps(), workFolder: place('mirror'), ...sides })).toMatchObject({ releases: 5 });
    expect(Object.keys(await second.hashes()).length).toBeGreaterThan(50);
    const { ok } = await verify('all', { ...verifyDeps(place('verify')), store: second.store });
    expect(ok).toBe(true);
  });
});

describe('followed from before the cutover, day by day', () => {
  const COPIES = ['copy.duckdb', 'copy.sqlite', 'folder'];
  let own: TemporaryStore;
  let service: Service;
  let historiesBefore: unknown;
  /** What the syncs of each copy ended with, and whether it then equalled the snapshot. */
  const followed: Record<string, unknown[]> = {};

  const historiesOf = async (to: Day) => {
    const kinds = ['metadata', 'pricing', 'score'] as const;
    const responses = kinds.map((kind) => service.client().getModelHistory('same', { kind, from: FIRST, to }));
    return (await Promise.all(responses)).map(({ body }) => (body as unknown as { points: Point[] }).points);
  };

  const importAsBefore = async (name: string) => {
    await syncInto(place(name), service.client());
    for (const dataset of NAMES) {
      for (const column of ADDED[dataset]) await forgetColumn(place(name), column, [dataset]);
    }
    followed[name] = [];
  };

  const follow = async (name: string) => {
    const { status, snapshot_id, warnings } = await syncInto(place(name), service.client());
    const equals = JSON.stringify(await linesOf(place(name))) === JSON.stringify(await newestLines(own));
    followed[name]?.push({ status, snapshot_id, warnings, equals });
  };

  beforeAll(async () => {
    own = await openTemporaryStore();
    await publishRatedDays(own, [FIRST]);
    service = await openService({ store: own.url, now: NOW });
    for (const name of COPIES) await importAsBefore(name);
    for (const day of DAYS.slice(1)) {
      await service.publish(() => publishRatedDays(own, [day]));
      if (day === LAST) historiesBefore = await historiesOf(LAST);
      for (const name of COPIES) await follow(name);
    }
  }, 180_000);
  afterAll(() => Promise.all([service.close(), own.dispose()]));

  test('histories of the days before stay as they were, and have the fields from the cutover on', async () => {
    expect(await historiesOf(LAST)).toEqual(historiesBefore);
    const [metadata, prices, scores] = await historiesOf(MOVED);
    const payloads = (points: readonly Point[] | undefined) =>
      points?.map(({ date, payload }) => [date, payload]) ?? [];
    for (const [date, payload] of [...payloads(metadata), ...payloads(prices)]) {
      const fields = [...ADDED.models, ...ADDED.pricing].filter((field) => field in Object(payload));
      expect([date, fields.length > 0]).toEqual([date, String(date) >= CUTOVER]);
    }
    expect(Object.keys(metadata?.at(-1)?.payload ?? {}).slice(-ADDED.models.length)).toEqual(ADDED.models);
    expect(metadata?.map(({ payload }) => payload['status'])).toEqual([
      ...[undefined, undefined, 'active', 'active', 'deprecated'],
    ]);
    expect(prices?.map(({ payload }) => payload['rates'])).toEqual([
      ...[undefined, undefined, ratesOf(1, 0.1), ratesOf(1, 0.1), ratesOf(1, 0.2)],
    ]);
    expect(scores?.map(({ payload }) => [payload['n'], payload['stderr']])).toEqual([
      ...[
        [100, undefined],
        [100, undefined],
        [100, 0.5],
        [100, 0.5],
        [100, 0.25],
      ],
    ]);
  });

  test('a field that is null is absent from a point', async () => {
    const { body } = await service.client().getModelHistory('plain', { kind: 'metadata' });
    const { points } = body as unknown as { points: Point[] };
    expect(points.map(({ payload }) => ADDED.models.filter((field) => field in payload))).toEqual(DAYS.map(() => []));
  });

  test('a model shows the fields', async () => {
    expect((await service.client().getModel('same')).body).toMatchObject({
      status: 'deprecated',
      open_weights: false,
      modalities: { input: ['image', 'text'], output: ['text'] },
      pricing: [{ provider: 'p', rates: ratesOf(1, 0.2) }],
      scores: [{ n: 100, stderr: 0.25, reported_by: 'evaluator' }],
    });
  });

  test.each(COPIES)('a copy %s that an older program made goes on, and equals every snapshot', async (name) => {
    const expected = { status: 'followed', warnings: [], equals: true };
    expect(followed[name]).toEqual(DAYS.slice(1).map((day) => ({ ...expected, snapshot_id: day })));
    const check = withCopy(place(name), (copy) =>
      checkCopy({
        client: service.client(),
        copy,
        scratch: new Scratch(place(`${name}.scratch`)),
        clock: () => new Date(),
      }),
    );
    expect(await check).toEqual({ ok: true, snapshot_id: MOVED, differences: [] });
  });
});

interface Point {
  readonly date: string;
  readonly payload: Readonly<Record<string, unknown>>;
}
