import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { republish } from '../../pipeline/upkeep/republish/republish.ts';
import type { Day } from '../../runtime/day.ts';
import type { CatalogEntry } from '../../schemas/catalog.ts';
import { releaseKey } from '../../storage/keys.ts';
import { forgetColumn } from '../support/client/older-copy.ts';
import { linesOf, openService, type Service, syncInto } from '../support/client/service.ts';
import { columnsIn, records, snapshotByModel, splitEvents } from '../support/pipeline/cutover.ts';
import { listReleases, newestOf, readHistory, readSnapshot } from '../support/pipeline/published.ts';
import { useStoreFiles } from '../support/pipeline/store-files.ts';
import { openTemporaryStore, type TemporaryStore } from '../support/pipeline/temporary-store.ts';
import { upkeepDeps } from '../support/pipeline/upkeep.ts';
import { useFolder } from '../support/temporary-folder.ts';
import { AFTER, CUTOVER, DAYS, FIRST, LAST, publishSourcedDays } from '../worlds/sourced-days.ts';

const NOW = '2026-11-30T12:00:00Z';
const place = useFolder();
let store: TemporaryStore;
let entries: readonly CatalogEntry[];
beforeAll(async () => {
  store = await openTemporaryStore();
  await publishSourcedDays(store);
  entries = await listReleases(store);
});
afterAll(() => store.dispose());

const entryOf = (day: Day) => entries.find((candidate) => candidate.day === day) ?? expect.fail();

const snapshotOf = (day: Day, dataset: 'models' | 'pricing') => snapshotByModel(store, entryOf(day), dataset);
const columnsOf = (day: Day, path: string) => columnsIn(store, entryOf(day), path);

/** The events of a day, as `op entity`, those behind the first renewal apart. */
async function eventsOf(day: Day) {
  const { changes, renewals } = await splitEvents(store, entryOf(day));
  const named = (events: typeof changes) =>
    events.map(({ op, entity_type, entity_id }) => `${op} ${entity_type} ${entity_id}`).sort();
  return { changes: named(changes), renewals: named(renewals) };
}

test('records have their source from the cutover on, and nothing keeps it before', async () => {
  for (const day of DAYS) {
    const isNew = day >= CUTOVER;
    for (const dataset of ['models', 'pricing'] as const) {
      expect(entryOf(day).schema_version).toBe(isNew ? '1.1' : '1.0');
      for (const record of (await snapshotOf(day, dataset)).values()) expect('source' in record).toBe(isNew);
      for (const path of [`state/${dataset}.parquet`, `history/${dataset}.parquet`]) {
        expect([day, path, (await columnsOf(day, path)).includes('source')]).toEqual([day, path, isNew]);
      }
    }
  }
  expect((await snapshotOf(CUTOVER, 'pricing')).get('same')).toMatchObject({ source: 'shop' });
  // The source of a price was another on that day.
  expect(await eventsOf(LAST)).toEqual({ changes: [], renewals: [] });
});

test('in the night of the cutover filling the source is no change: all that stayed is sent anew behind the changes', async () => {
  const { changes, renewals } = await eventsOf(CUTOVER);
  expect(changes).toEqual([
    ...['delete model gone', 'delete pricing gone:p', 'delete score gone:x', 'upsert model named', 'upsert model new'],
    ...['upsert pricing moved:p', 'upsert pricing new:p', 'upsert score new:x'],
  ]);
  expect(renewals).toEqual(
    ['model moved', 'model same', 'pricing named:p', 'pricing same:p'].map((it) => `upsert ${it}`),
  );
  const [before, after] = [await snapshotOf(LAST, 'pricing'), await snapshotOf(CUTOVER, 'pricing')];
  expect(after.get('same')).toEqual({ ...before.get('same'), source: 'shop' });
  expect(after.get('same').updated_at).toBe(`${FIRST}T23:59:59Z`);
  const ended = records(await readHistory(store, entryOf(CUTOVER))).filter(({ dataset }) => dataset === 'pricing');
  expect(ended.map(({ record, valid_to }) => [record.model_id, record.source, valid_to])).toEqual([
    ['gone', null, LAST],
    ['moved', null, LAST],
  ]);
});

test('from then on a source alone is content: an event, another updated_at, and the end of an interval', async () => {
  expect(await eventsOf(AFTER)).toEqual({ changes: ['upsert pricing same:p'], renewals: [] });
  const same = { source: 'mall', updated_at: `${AFTER}T23:59:59Z` };
  expect((await snapshotOf(AFTER, 'pricing')).get('same')).toMatchObject(same);
  const ended = records(await readHistory(store, entryOf(AFTER)));
  expect(ended).toMatchObject([{ valid_from: FIRST, valid_to: CUTOVER, record: { model_id: 'same', source: 'shop' } }]);
});

test.each([LAST, CUTOVER])(
  'damaged states and histories of %s come back with the columns that they had',
  async (day) => {
    const paths = ['state', 'history'].flatMap((part) => [`${part}/models.parquet`, `${part}/pricing.parquet`]);
    const copy = await useStoreFiles(store.folder);
    const before = await copy.hashes();
    const deps = { ...upkeepDeps(store.deps.workFolder), onFile: () => {} };
    for (const path of paths) {
      await copy.damage(releaseKey(entryOf(day), path), 'lost');
      const { files } = await republish(day, { ...deps, origin: copy.store, second: undefined });
      expect(files.filter(({ status }) => status !== 'ok')).toMatchObject([{ path, status: 'rebuilt' }]);
      expect(await copy.hashes()).toEqual(before);
    }
  },
);

describe('followed from before the cutover, day by day', () => {
  const COPIES = ['copy.duckdb', 'copy.sqlite', 'folder'];
  let own: TemporaryStore;
  let service: Service;
  let shownBefore: unknown;
  /** What the syncs of each copy ended with, and whether it then equalled the snapshot. */
  const followed: Record<string, unknown[]> = {};

  beforeAll(async () => {
    own = await openTemporaryStore();
    await publishSourcedDays(own, [FIRST]);
    service = await openService({ store: own.url, now: NOW });
    shownBefore = (await service.client().getModel('same')).body;
    for (const name of COPIES) {
      await syncInto(place(name), service.client());
      await forgetColumn(place(name), 'source', ['models', 'pricing']);
      followed[name] = [];
    }
    for (const day of DAYS.slice(1)) {
      await service.publish(() => publishSourcedDays(own, [day]));
      for (const name of COPIES) {
        const { status, snapshot_id, warnings } = await syncInto(place(name), service.client());
        const lines = await linesOf(place(name));
        const newest = await newestOf(own);
        const isSame = { models: false, pricing: false };
        for (const dataset of ['models', 'pricing'] as const)
          isSame[dataset] = lines[dataset] === (await readSnapshot(own, newest, dataset));
        followed[name]?.push({ status, snapshot_id, warnings, ...isSame });
      }
    }
  }, 180_000);
  afterAll(() => Promise.all([service.close(), own.dispose()]));

  test('a model and its history show the source from the cutover on', async () => {
    const before = shownBefore as { pricing: object[] };
    expect(['source' in before, before.pricing.some((price) => 'source' in price)]).toEqual([false, false]);
    expect((await service.client().getModel('same')).body).toMatchObject({
      source: 'shop',
      pricing: [{ provider: 'p', source: 'mall' }],
      scores: [{ source: 'vendor' }],
    });
    const { body } = await service.client().getModelHistory('same', { kind: 'pricing' });
    const { points } = body as unknown as { points: { date: string; source: string; payload: object }[] };
    expect(points.map(({ date, source, payload }) => [date, source, 'source' in payload])).toEqual(
      DAYS.map((day) => [day, 'capture', false]),
    );
  });

  test.each(COPIES)('a copy %s that an older program made goes on, and equals every snapshot', (name) => {
    const expected = { status: 'followed', warnings: [], models: true, pricing: true };
    expect(followed[name]).toEqual(DAYS.slice(1).map((day) => ({ ...expected, snapshot_id: day })));
  });
});
