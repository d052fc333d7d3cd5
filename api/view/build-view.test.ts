import { mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Catalog } from '../../schemas/catalog.ts';
import { loadCatalog } from '../../storage/catalog.ts';
import { dumpView } from '../../test/support/api/dump-view.ts';
import { withNames } from '../../test/support/pipeline/named-models.ts';
import { fixtureSource, openTemporaryStore, type TemporaryStore } from '../../test/support/pipeline/temporary-store.ts';
import { type BuiltView, buildView, type ViewFile } from './build-view.ts';

// Nights of every kind, each followed by two builds.
vi.setConfig({ testTimeout: 120_000 });

const DAYS = ['2026-06-01', '2026-06-02', '2026-06-04', '2026-06-06'] as const;
const PRICE = { provider: 'cirrus', input_per_million: 1, output_per_million: 2, currency: 'USD' };

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
  const [path, scratch] = [join(folder, `${views}.duckdb`), join(folder, `${views}.parts`)];
  const duckdb = { memoryLimit: '300MB', threads: 1 };
  return buildView({ catalog, previous, path, scratch }, { store: series.deps.store, downloadsMax: 4, duckdb });
}

/** What lies in the folder that is not of a view. */
async function strayFiles(): Promise<readonly string[]> {
  return (await readdir(folder)).filter((name) => !/^\d+\.(duckdb|feed|score|ranking|pricing|metadata)$/.test(name));
}

/** The next view, extended; all its tables are those of one that is built from nothing. */
async function buildBoth(previous: ViewFile | undefined, isExtended = true): Promise<BuiltView> {
  const catalog = await getCatalog();
  const [extended, rebuilt] = [await build(catalog, previous), await build(catalog, undefined)];
  expect(extended.isExtended).toBe(isExtended);
  expect(await dumpView(extended.path)).toEqual(await dumpView(rebuilt.path));
  await rm(rebuilt.path);
  return extended;
}

test('a view that is extended, night by night, by prune and backfills, has the tables of one built from nothing', async () => {
  await series.night(fixtureSource('days'), DAYS[0]);
  let view = await build(await getCatalog(), undefined);
  await series.night(fixtureSource('days'), DAYS[1]);
  view = await buildBoth(view);
  const { models: [first = ''] = [] } = await dumpView(view.path);
  const model = JSON.parse(first).id;
  await series.night(fixtureSource('days'), DAYS[2]);
  await series.backfill([{ ...PRICE, model_id: model, effective_from: '2026-05-20' }], '2026-06-07T00:00:00Z');
  view = await buildBoth(view);
  const pricesBefore = (await dumpView(view.path))['history_pricing'];
  await series.backfill([{ ...PRICE, model_id: model, effective_from: '2026-05-25' }], '2026-06-07T01:00:00Z');
  view = await buildBoth(view);
  expect((await dumpView(view.path))['history_pricing']).not.toEqual(pricesBefore);
  await series.prune({ changesMonths: 0, snapshots: 2, states: 1 });
  view = await buildBoth(view);
  await series.night(fixtureSource('days'), DAYS[3]);
  view = await buildBoth(view);
  await series.prune({ changesMonths: 0, snapshots: 1, states: 1 });
  await series.backfill([], '2026-06-12T00:00:00Z');
  view = await buildBoth(view);
  expect(JSON.stringify(await dumpView(view.path))).not.toContain('backfill"}');
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
  expect(await dumpView(extended.path)).toMatchObject({
    aliases: [expect.stringContaining('2026-06-03'), expect.any(String)],
  });
  expect(await strayFiles()).toEqual([]);
});

describe('the text of the feed', () => {
  const publish = (day: string, ids: readonly string[]) =>
    series.publish(day, { models: ids.map((id) => ({ id, name: id })) });
  const feedOf = ({ meta }: BuiltView) => meta.texts.feed;

  beforeEach(async () => {
    await series.dispose();
    series = await openTemporaryStore();
    await publish('2026-04-01', ['a']);
  });

  test('is one file that successive views add to, until more of it has left the feed than is in it', async () => {
    const first = await build(await getCatalog(), undefined);
    await publish('2026-05-30', ['a', 'b', 'c']);
    const second = await build(await getCatalog(), first);
    await publish('2026-05-31', ['a', 'b', 'c', 'd']);
    const third = await build(await getCatalog(), second);
    expect([second, third].map((view) => feedOf(view).file)).toEqual(Array(2).fill(feedOf(first).file));
    expect(feedOf(third).bytes).toBeGreaterThan(feedOf(second).bytes);
    await series.prune({ changesMonths: 1, snapshots: 9, states: 9 });
    const pruned = await build(await getCatalog(), third);
    expect(feedOf(pruned)).toMatchObject({ file: feedOf(first).file, from: feedOf(first).bytes });
    await publish('2026-06-30', ['a', 'b', 'c', 'd', 'e']);
    await series.prune({ changesMonths: 0, snapshots: 9, states: 9 });
    const moved = await buildBoth(pruned);
    expect(feedOf(moved).file).not.toBe(feedOf(first).file);
    expect(feedOf(moved).from).toBe(0);
    expect(feedOf(moved).bytes).toBeLessThan(feedOf(pruned).bytes);
  });

  test('is written anew where the view before has a shorter one than it says, and nothing is left behind', async () => {
    const first = await build(await getCatalog(), undefined);
    await truncate(join(folder, feedOf(first).file), feedOf(first).bytes - 1);
    await publish('2026-04-02', ['a', 'b']);
    const second = await buildBoth(first, false);
    expect(feedOf(second).file).not.toBe(feedOf(first).file);
    expect(await strayFiles()).toEqual([]);
  });
});
