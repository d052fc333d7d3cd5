import { copyFile, rm, writeFile } from 'node:fs/promises';
import SqliteDatabase from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { dumpView } from '../../../test/support/api/dump-view.ts';
import { useViews } from '../../../test/support/api/use-views.ts';
import { withNames } from '../../../test/support/pipeline/named-models.ts';
import { SAMPLE_DAYS as DAYS, publishFixtureDays } from '../../../test/support/pipeline/sample-store.ts';
import { openTemporaryStore, type TemporaryStore } from '../../../test/support/pipeline/temporary-store.ts';
import { fileSum } from '../file-sum.ts';
import type { BuiltView, ViewFile } from './build-view.ts';

// Nights of every kind, each followed by two builds.
vi.setConfig({ testTimeout: 120_000 });

const PRICE = { provider: 'known by backfill only', input_per_million: 1, output_per_million: 2, currency: 'USD' };

/** Nights that many a case begins with: each adds models. */
const NIGHTS = [
  ['2026-04-01', 'a'],
  ['2026-05-30', 'abc'],
  ['2026-05-31', 'abcd'],
] as const;

let series: TemporaryStore;
/** Of the first night, and of the first two. */
let first: BuiltView;
let second: BuiltView;
const { place, getCatalog, build, buildBoth, strayFiles } = useViews(() => series);

async function publish(store: TemporaryStore, [day, ids]: readonly [day: string, ids: string]): Promise<void> {
  const models = [...ids].map((id) => ({ id, name: id }));
  await store.publish(day, { models }, withNames(`shop,${day},a`, 'board,other,b'));
}

beforeAll(async () => {
  series = await openTemporaryStore();
  await publish(series, NIGHTS[0]);
  first = await build(await getCatalog(), undefined);
  await publish(series, NIGHTS[1]);
  second = await build(await getCatalog(), undefined);
  await publish(series, NIGHTS[2]);
});
afterAll(() => series?.dispose());

describe('a view that is extended', () => {
  let changing: TemporaryStore;
  const views = useViews(() => changing);
  const buildFrom = async (previous: ViewFile | undefined) => views.build(await views.getCatalog(), previous);
  beforeEach(async () => {
    changing = await openTemporaryStore();
  });
  afterEach(() => changing.dispose());

  test('by a night and by prune has the tables of one built from nothing; one before a backfill is built anew', async () => {
    await publishFixtureDays(changing, DAYS.slice(0, 2));
    let view = await buildFrom(undefined);
    const { models: [line = ''] = [] } = dumpView(view.path);
    const model = JSON.parse(line).id;
    const unknown = { ...PRICE, model_id: 'of prices only', effective_from: '2026-05-20' };
    await changing.backfill(
      [{ ...PRICE, model_id: model, effective_from: '2026-05-20' }, unknown],
      '2026-06-07T00:00:00Z',
    );
    view = await views.buildBoth(view, false);
    const pricesBefore = dumpView(view.path)['intervals'];
    await changing.backfill([{ ...PRICE, model_id: model, effective_from: '2026-05-25' }], '2026-06-07T01:00:00Z');
    view = await buildFrom(view);
    expect(view.isExtended).toBe(false);
    expect(dumpView(view.path)['intervals']).not.toEqual(pricesBefore);
    await changing.prune({ changesMonths: 0, snapshots: 2, states: 1 });
    view = await views.buildBoth(view);
    await publishFixtureDays(changing, DAYS.slice(2));
    view = await views.buildBoth(view);
    await changing.prune({ changesMonths: 0, snapshots: 1, states: 1 });
    await changing.backfill([], '2026-06-12T00:00:00Z');
    view = await buildFrom(view);
    expect(view.isExtended).toBe(false);
    expect(JSON.stringify(dumpView(view.path))).not.toContain('backfill"}');
  });

  test('has the events of one built from nothing, also where a part of a block left the feed', async () => {
    for (const night of NIGHTS) await publish(changing, night);
    // A block of two nights, as a view that is built later has it.
    expect(blocksOf(second)).toEqual([{ first: 1, types: 'mmm' }]);
    let view = await views.buildBoth(second);
    expect(blocksOf(view)).toEqual([{ first: 1, types: 'mmmm' }]);
    const prune = (changesMonths: number) => changing.prune({ changesMonths, snapshots: 9, states: 9 });
    await prune(1);
    view = await views.buildBoth(view);
    expect(blocksOf(view)).toEqual([{ first: 2, types: 'mmm' }]);
    await publish(changing, ['2026-06-30', 'abcde']);
    await prune(0);
    view = await views.buildBoth(view);
    expect(blocksOf(view)).toEqual([{ first: 5, types: 'm' }]);
  });
});

test('a view of another series is not extended but built anew', async () => {
  const catalog = await getCatalog();
  const others = catalog.releases.map((release) => ({
    ...release,
    run: `${release.run}X`,
    release_sha256: release.release_sha256.replaceAll('0', '1'),
  }));
  const other = { ...second, meta: { ...second.meta, catalog: { ...catalog, releases: others } } };
  expect(await build(catalog, other)).toMatchObject({ isExtended: false, meta: { catalog } });
});

test('a view whose file is damaged is not extended but built anew, and leaves nothing behind', async () => {
  const path = place('garbage.sqlite');
  await writeFile(path, 'garbage');
  const built = await buildBoth({ ...second, path }, false);
  await rm(path);
  expect(await strayFiles()).toEqual([]);
  expect(built.meta.catalog).toEqual(await getCatalog());
});

test('a view that lacks events it says it has is not extended but built anew', async () => {
  const lying = { ...first, meta: { ...first.meta, catalog: second.meta.catalog } };
  await buildBoth(lying, false);
  const extended = await buildBoth(first);
  // Of upstreams and their names it has those of the newest night.
  expect(dumpView(extended.path)).toMatchObject({
    aliases: [expect.stringContaining('2026-05-31'), expect.any(String)],
  });
  expect(await strayFiles()).toEqual([]);
});

describe('a view with a fault that its sum does not show is not extended but built anew, and leaves nothing behind, where it', () => {
  test.each([
    ['lacks its first events', 'DELETE FROM events WHERE first_seq = 1'],
    ['lacks its last events', `UPDATE events SET types = 'mm'`],
    ['has fewer events in a block than it says', `UPDATE events SET types = 'mmmm'`],
    ['lacks a record', `DELETE FROM models WHERE id = 'a'`],
    ['has another record', `UPDATE models SET line = replace(line, 'a', 'b') WHERE id = 'a'`],
  ])('%s', async (_, sql) => {
    const path = place('spoiled.sqlite');
    await copyFile(second.path, path);
    expect(reading(path, (database) => database.prepare(sql).run().changes)).toBeGreaterThan(0);
    const built = await build(await getCatalog(), { ...second, path, sum: await fileSum(path) });
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
