/** A bit flipped in every page of a view's file: nothing of it is ever followed, and a start with it ends with another view. */
import { copyFile, cp, mkdtemp, open as openFile, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadCatalog } from '../../../storage/catalog.ts';
import { openTemporaryStore, type TemporaryStore } from '../../../test/support/pipeline/temporary-store.ts';
import { SMALL_DAYS } from '../../../test/worlds/small-days.ts';
import type { ViewEvent } from '../view-events.ts';
import { type WriteInput, writeView } from '../write/write-view.ts';
import { buildView, type ViewFile } from './build-view.ts';
import { ViewFolder } from './view-folder.ts';
import { ViewFollower } from './view-follower.ts';

const PAGE_BYTES = 8192;
/** More in `make test-long`. */
const FLIPS_PER_PAGE = Number(process.env['FLIPS_PER_PAGE'] ?? 1);
const DUCKDB = { memoryLimit: '300MB', threads: 1 };
const [FIRST = '', SECOND = ''] = Object.keys(SMALL_DAYS);

let folder: string;
let store: TemporaryStore;
/** Of the first night, and of both. */
let first: ViewFile;
let both: ViewFile;
let flips: readonly Flip[];

interface Flip {
  readonly at: number;
  readonly bit: number;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'modelstats-damaged-file-'));
  store = await openTemporaryStore();
  await store.publish(FIRST, SMALL_DAYS[FIRST] ?? {});
  first = await build('first', undefined);
  await store.publish(SECOND, SMALL_DAYS[SECOND] ?? {});
  both = await build('both', undefined);
  const pages = Math.min((await stat(first.path)).size, (await stat(both.path)).size) / PAGE_BYTES;
  expect(pages).toBeGreaterThan(30);
  // A step that is coprime to the size of a page spreads them over all of it; in the first page also what SQLite reads first.
  const spread = Array.from({ length: pages * FLIPS_PER_PAGE }, (_, n) => ({
    at: (n % pages) * PAGE_BYTES + ((n * 5113) % PAGE_BYTES),
    bit: n % 8,
  }));
  const header = [0, 16, 18, 24, 28, 44, 56, 96, 100, 103].map((at) => ({ at, bit: at % 8 }));
  flips = [...header, ...spread];
});
afterAll(async () => {
  await store?.dispose();
  await rm(folder, { recursive: true, force: true });
});

async function build(name: string, previous: ViewFile | undefined, write = writeView) {
  const { catalog = expect.fail() } = await loadCatalog(store.deps.store);
  const paths = { path: join(folder, `${name}.sqlite`), scratch: join(folder, `${name}.parts`) };
  return buildView(
    { catalog, previous, ...paths },
    { store: store.deps.store, downloadsMax: 4, duckdb: DUCKDB, write },
  );
}

async function flip(path: string, { at, bit }: Flip): Promise<void> {
  const file = await openFile(path, 'r+');
  const byte = Buffer.alloc(1);
  await file.read(byte, 0, 1, at);
  await file.write(Buffer.of((byte[0] ?? 0) ^ (1 << bit)), 0, 1, at);
  await file.close();
}

/** Copies a sound view where one is built anew, which takes longer; follows as usual. */
async function writeAnewAtOnce(input: WriteInput): Promise<ViewFile> {
  if (input.base !== undefined) return writeView(input);
  await copyFile(both.path, input.path);
  return { ...both, path: input.path };
}

test('a view with a flipped bit anywhere is never followed from but built anew', async () => {
  const damaged = { ...first, path: join(folder, 'damaged.sqlite') };
  await copyFile(first.path, damaged.path);
  for (const place of flips) {
    await flip(damaged.path, place);
    const built = await build('next', damaged, writeAnewAtOnce);
    expect({ ...place, isExtended: built.isExtended }).toEqual({ ...place, isExtended: false });
    await flip(damaged.path, place);
  }
  expect((await build('next', damaged, writeAnewAtOnce)).isExtended, 'without a flip').toBe(true);
});

const CACHED = `${'0'.repeat(25)}1.sqlite`;

/** Starts with a cached view, damaged or not. */
async function start(events: ViewEvent[], place: Flip | undefined, clock = () => new Date()): Promise<ViewFollower> {
  const views = join(folder, 'views');
  await rm(views, { recursive: true, force: true });
  await cp(both.path, join(views, CACHED));
  if (place !== undefined) await flip(join(views, CACHED), place);
  await writeFile(join(views, 'current'), `${CACHED} ${both.sum}`);
  await writeFile(join(views, 'store'), store.deps.store.url);
  const settings = {
    duckdb: DUCKDB,
    limits: { queriesMax: 1, queriesWaitingMax: 1, queryTimeoutMs: 20_000 },
    downloadsMax: 4,
    pollMs: 3_600_000,
    retryMaxMs: 3_600_000,
  };
  const follower = new ViewFollower(settings, {
    store: store.deps.store,
    folder: await ViewFolder.acquire(views),
    clock,
    write: writeAnewAtOnce,
    onEvent: (event) => events.push(event),
  });
  await follower.start();
  return follower;
}

test('a start with a view that has a flipped bit anywhere ends with a view that is built anew', async () => {
  for (const place of flips) {
    const events: ViewEvent[] = [];
    const follower = await start(events, place);
    await expect
      .poll(() => events.at(-1), { message: JSON.stringify(place), interval: 2 })
      .toMatchObject({ type: 'swapped', isExtended: false });
    const { path, sum } = follower.current();
    expect([basename(path) === CACHED, sum]).toEqual([false, both.sum]);
    await follower.stop();
    expect(await readFile(join(folder, 'views', 'current'), 'utf8')).toBe(`${basename(path)} ${both.sum}`);
  }
});

test('a start with a sound view serves it', async () => {
  const events: ViewEvent[] = [];
  const follower = await start(events, undefined);
  await follower.refresh();
  expect(basename(follower.current().path)).toBe(CACHED);
  await follower.stop();
  expect(events).toEqual([]);
});

test('a bit that flips while a view is served is found within an hour, wherever it is', async () => {
  const events: ViewEvent[] = [];
  let now = new Date('2026-07-01T12:00:00Z');
  const follower = await start(events, undefined, () => now);
  const { path } = follower.current();
  await flip(path, { at: 5 * PAGE_BYTES + 4000, bit: 0 });
  now = new Date(now.getTime() + 3_599_000);
  await follower.refresh();
  expect(follower.current().path).toBe(path);
  now = new Date(now.getTime() + 1000);
  await follower.refresh();
  await expect.poll(() => events.at(-1)).toMatchObject({ type: 'swapped', isExtended: false });
  expect(events.map(({ type }) => type)).toEqual(['damaged', 'swapped']);
  await follower.stop();
});
