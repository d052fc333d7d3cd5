import { copyFile, rm, writeFile } from 'node:fs/promises';
import SqliteDatabase from 'better-sqlite3';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { dumpView } from '../../../test/support/api/dump-view.ts';
import { useViews } from '../../../test/support/api/use-views.ts';
import { withNames } from '../../../test/support/pipeline/named-models.ts';
import {
  fixtureSource,
  openTemporaryStore,
  type TemporaryStore,
} from '../../../test/support/pipeline/temporary-store.ts';
import { fileSum } from '../file-sum.ts';
import type { BuiltView, ViewFile } from './build-view.ts';

// Nights of every kind, each followed by two builds.
vi.setConfig({ testTimeout: 120_000 });

const DAYS = ['2026-06-01', '2026-06-02', '2026-06-04', '2026-06-06'] as const;
const PRICE = { provider: 'known by backfill only', input_per_million: 1, output_per_million: 2, currency: 'USD' };

let series: TemporaryStore;
const { place, getCatalog, build, buildBoth, strayFiles } = useViews(() => series);

beforeAll(async () => {
  series = await openTemporaryStore();
});
afterAll(() => series?.dispose());

test('a view that is extended, night by night and by prune, has the tables of one built from nothing; one before a backfill is built anew', async () => {
  await series.night(fixtureSource('days'), DAYS[0]);
  let view = await build(await getCatalog(), undefined);
  await series.night(fixtureSource('days'), DAYS[1]);
  view = await buildBoth(view);
  const { models: [first = ''] = [] } = dumpView(view.path);
  const model = JSON.parse(first).id;
  const unknown = { ...PRICE, model_id: 'of prices only', effective_from: '2026-05-20' };
  await series.night(fixtureSource('days'), DAYS[2]);
  await series.backfill([{ ...PRICE, model_id: model, effective_from: '2026-05-20' }, unknown], '2026-06-07T00:00:00Z');
  view = await buildBoth(view, false);
  const pricesBefore = dumpView(view.path)['intervals'];
  await series.backfill([{ ...PRICE, model_id: model, effective_from: '2026-05-25' }], '2026-06-07T01:00:00Z');
  view = await buildBoth(view, false);
  expect(dumpView(view.path)['intervals']).not.toEqual(pricesBefore);
  await series.prune({ changesMonths: 0, snapshots: 2, states: 1 });
  view = await buildBoth(view);
  await series.night(fixtureSource('days'), DAYS[3]);
  view = await buildBoth(view);
  await series.prune({ changesMonths: 0, snapshots: 1, states: 1 });
  await series.backfill([], '2026-06-12T00:00:00Z');
  view = await buildBoth(view, false);
  expect(JSON.stringify(dumpView(view.path))).not.toContain('backfill"}');
});

test('a view of another series is not extended but built anew', async () => {
  const catalog = await getCatalog();
  const view = await build(catalog, undefined);
  const others = catalog.releases.map((release) => ({
    ...release,
    run: `${release.run}X`,
    release_sha256: release.release_sha256.replaceAll('0', '1'),
  }));
  const other = { ...view, meta: { ...view.meta, catalog: { ...catalog, releases: others } } };
  await buildBoth(other, false);
});

test('a view whose file is damaged is not extended but built anew, and leaves nothing behind', async () => {
  const catalog = await getCatalog();
  const view = await build(catalog, undefined);
  await writeFile(view.path, 'garbage');
  const built = await buildBoth(view, false);
  expect(await strayFiles()).toEqual([]);
  expect(built.meta.catalog).toEqual(catalog);
});

test('a view that lacks events it says it has is not extended but built anew', async () => {
  await series.dispose();
  series = await openTemporaryStore();
  const publish = (day: string, ids: readonly string[]) =>
    series.publish(day, { models: ids.map((id) => ({ id, name: id })) }, withNames(`shop,${day},a`, 'board,other,b'));
  await publish('2026-06-01', ['a']);
  const view = await build(await getCatalog(), undefined);
  await publish('2026-06-02', ['a', 'b']);
  const lying = { ...view, meta: { ...view.meta, catalog: await getCatalog() } };
  await publish('2026-06-03', ['a', 'b', 'c']);
  await buildBoth(lying, false);
  const extended = await buildBoth(view);
  // Of upstreams and their names it has those of the newest night.
  expect(dumpView(extended.path)).toMatchObject({
    aliases: [expect.stringContaining('2026-06-03'), expect.any(String)],
  });
  expect(await strayFiles()).toEqual([]);
});

describe('the events of a view that is extended', () => {
  const publish = (day: string, ids: readonly string[]) =>
    series.publish(day, { models: ids.map((id) => ({ id, name: id })) });
  const prune = (changesMonths: number) => series.prune({ changesMonths, snapshots: 9, states: 9 });

  beforeEach(async () => {
    await series.dispose();
    series = await openTemporaryStore();
    await publish('2026-04-01', ['a']);
  });

  test('are those of one built from nothing, also where a part of a block left the feed', async () => {
    // A block of two nights, as a view that is built later has it.
    await publish('2026-05-30', ['a', 'b', 'c']);
    let view = await build(await getCatalog(), undefined);
    expect(blocksOf(view)).toEqual([{ first: 1, types: 'mmm' }]);
    await publish('2026-05-31', ['a', 'b', 'c', 'd']);
    view = await buildBoth(view);
    expect(blocksOf(view)).toEqual([{ first: 1, types: 'mmmm' }]);
    await prune(1);
    view = await buildBoth(view);
    expect(blocksOf(view)).toEqual([{ first: 2, types: 'mmm' }]);
    await publish('2026-06-30', ['a', 'b', 'c', 'd', 'e']);
    await prune(0);
    view = await buildBoth(view);
    expect(blocksOf(view)).toEqual([{ first: 5, types: 'm' }]);
  });
});

describe('a view with a fault that its sum does not show is not extended but built anew, and leaves nothing behind, where it', () => {
  let view: BuiltView;

  beforeAll(async () => {
    await series.dispose();
    series = await openTemporaryStore();
    const publish = (day: string, ids: readonly string[]) =>
      series.publish(day, { models: ids.map((id) => ({ id, name: id })) });
    await publish('2026-04-01', ['a']);
    const first = await build(await getCatalog(), undefined);
    await publish('2026-04-02', ['a', 'b', 'c']);
    view = await build(await getCatalog(), first);
    await publish('2026-04-03', ['a', 'b', 'c', 'd']);
  });

  test.each([
    ['lacks its first events', 'DELETE FROM events WHERE first_seq = 1'],
    ['lacks its last events', `UPDATE events SET types = 'mm'`],
    ['has fewer events in a block than it says', `UPDATE events SET types = 'mmmm'`],
    ['lacks a record', `DELETE FROM models WHERE id = 'a'`],
    ['has another record', `UPDATE models SET line = replace(line, 'a', 'b') WHERE id = 'a'`],
  ])('%s', async (_, sql) => {
    const path = place('spoiled.sqlite');
    await copyFile(view.path, path);
    expect(reading(path, (database) => database.prepare(sql).run().changes)).toBeGreaterThan(0);
    const built = await build(await getCatalog(), { ...view, path, sum: await fileSum(path) });
    expect(built).toMatchObject({ isExtended: false, meta: { catalog: await getCatalog() } });
    expect(dumpView(built.path)['events']).toHaveLength(4);
    await rm(path);
    expect(await strayFiles()).toEqual([]);
  });
});

function blocksOf({ path }: ViewFile): readonly unknown[] {
  return reading(path, (view) => view.prepare('SELECT first_seq AS first, types FROM events ORDER BY first_seq').all());
}

function reading<T>(path: string, read: (view: SqliteDatabase.Database) => T): T {
  const view = new SqliteDatabase(path);
  try {
    return read(view);
  } finally {
    view.close();
  }
}
