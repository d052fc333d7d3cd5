import { copyFile, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Catalog } from '../../schemas/catalog.ts';
import { loadCatalog } from '../../storage/catalog.ts';
import { dumpView } from '../../test/support/api/dump-view.ts';
import { withNames } from '../../test/support/pipeline/named-models.ts';
import { fixtureSource, openTemporaryStore, type TemporaryStore } from '../../test/support/pipeline/temporary-store.ts';
import { SMALL_DAYS } from '../../test/worlds/small-days.ts';
import { type BuiltView, buildView, type ViewFile } from './build-view.ts';
import { fileSum } from './file-sum.ts';
import { writeView } from './write/write-view.ts';

// Nights of every kind, each followed by two builds.
vi.setConfig({ testTimeout: 120_000 });

const DAYS = ['2026-06-01', '2026-06-02', '2026-06-04', '2026-06-06'] as const;
const PRICE = { provider: 'known by backfill only', input_per_million: 1, output_per_million: 2, currency: 'USD' };

let series: TemporaryStore;
let folder: string;
let views = 0;

beforeAll(async () => {
  series = await openTemporaryStore();
  folder = await mkdtemp(join(tmpdir(), 'modelstats-views-'));
});
afterAll(async () => {
  await series?.dispose();
  await rm(folder, { recursive: true, force: true });
});

async function getCatalog(): Promise<Catalog> {
  const { catalog } = await loadCatalog(series.deps.store);
  if (catalog === undefined) throw new Error('nothing is published');
  return catalog;
}

function build(catalog: Catalog, previous: ViewFile | undefined): Promise<BuiltView> {
  views += 1;
  const [path, scratch] = [join(folder, `${views}.sqlite`), join(folder, `${views}.parts`)];
  const duckdb = { memoryLimit: '300MB', threads: 1 };
  return buildView(
    { catalog, previous, path, scratch },
    { store: series.deps.store, downloadsMax: 4, duckdb, write: writeView },
  );
}

/** Files in the folder that are no views. */
async function strayFiles(): Promise<readonly string[]> {
  return (await readdir(folder)).filter((name) => !/^\d+\.sqlite$/.test(name));
}

/** The next view, extended; all its tables are those of one that is built from nothing. */
async function buildBoth(previous: ViewFile | undefined, isExtended = true): Promise<BuiltView> {
  const catalog = await getCatalog();
  const [extended, rebuilt] = [await build(catalog, previous), await build(catalog, undefined)];
  expect(extended.isExtended).toBe(isExtended);
  expect(dumpView(extended.path)).toEqual(dumpView(rebuilt.path));
  await rm(rebuilt.path);
  return extended;
}

test('a view that is extended, night by night, by prune and backfills, has the tables of one built from nothing', async () => {
  await series.night(fixtureSource('days'), DAYS[0]);
  let view = await build(await getCatalog(), undefined);
  await series.night(fixtureSource('days'), DAYS[1]);
  view = await buildBoth(view);
  const { models: [first = ''] = [] } = dumpView(view.path);
  const model = JSON.parse(first).id;
  const unknown = { ...PRICE, model_id: 'of prices only', effective_from: '2026-05-20' };
  await series.night(fixtureSource('days'), DAYS[2]);
  await series.backfill([{ ...PRICE, model_id: model, effective_from: '2026-05-20' }, unknown], '2026-06-07T00:00:00Z');
  view = await buildBoth(view);
  const pricesBefore = dumpView(view.path)['intervals'];
  await series.backfill([{ ...PRICE, model_id: model, effective_from: '2026-05-25' }], '2026-06-07T01:00:00Z');
  view = await buildBoth(view);
  expect(dumpView(view.path)['intervals']).not.toEqual(pricesBefore);
  await series.prune({ changesMonths: 0, snapshots: 2, states: 1 });
  view = await buildBoth(view);
  await series.night(fixtureSource('days'), DAYS[3]);
  view = await buildBoth(view);
  await series.prune({ changesMonths: 0, snapshots: 1, states: 1 });
  await series.backfill([], '2026-06-12T00:00:00Z');
  view = await buildBoth(view);
  expect(JSON.stringify(dumpView(view.path))).not.toContain('backfill"}');
});

test('a view that is extended by nights with lost rows, lost datasets and records that go and come back has the tables of one built from nothing', async () => {
  await series.dispose();
  series = await openTemporaryStore();
  let view: BuiltView | undefined;
  for (const [day, rows] of Object.entries(SMALL_DAYS)) {
    await series.publish(day, rows);
    view = await buildBoth(view, view !== undefined);
  }
  // Ids that come and go without an interval, of every kind.
  const last = SMALL_DAYS['2026-06-07'] ?? {};
  const updated = { updated_at: '2026-06-07T00:00:00Z' };
  await series.publish('2026-06-08', {
    ...last,
    benchmarks: [...(last.benchmarks ?? []), { id: 'brief', name: 'brief', category: 'c', ...updated }],
    scores: [
      ...(last.scores ?? []),
      { model_id: 'a', benchmark_id: 'brief', value: 1, source: 'rare', n: 1, ...updated },
      { model_id: 'case', benchmark_id: 'brief', value: 'none', source: 'rarer', n: 1, ...updated },
    ],
    pricing: [
      ...(last.pricing ?? []),
      { model_id: 'case', provider: 'p0', input_per_million: 'none', output_per_million: 1, ...updated },
    ],
  });
  view = await buildBoth(view);
  await series.publish('2026-06-09', last);
  await buildBoth(view);
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
    expect(blocksOf(view)).toEqual([
      { first: 1, types: 'mmm' },
      { first: 4, types: 'm' },
    ]);
    await prune(1);
    view = await buildBoth(view);
    expect(dumpView(view.path)['events']).toHaveLength(3);
    expect(blocksOf(view)).toHaveLength(2);
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
    ['lacks its last events', 'DELETE FROM events WHERE first_seq = 2'],
    ['has fewer events in a block than it says', `UPDATE events SET types = 'm' WHERE first_seq = 2`],
    ['lacks a record', `DELETE FROM models WHERE id = 'a'`],
    ['has another record', `UPDATE models SET line = replace(line, 'a', 'b') WHERE id = 'a'`],
  ])('%s', async (_, sql) => {
    const path = join(folder, 'spoiled.sqlite');
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
