import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { AppError } from '../../../runtime/errors.ts';
import { FileStore } from '../../../storage/file/file-store.ts';
import type { ObjectStore } from '../../../storage/object-store.ts';
import { openTemporaryStore } from '../../../test/support/pipeline/temporary-store.ts';
import { SMALL_DAYS } from '../../../test/worlds/small-days.ts';
import { writeView } from '../write/write-view.ts';
import { isFromStore, ViewFolder } from './view-folder.ts';
import { ViewFollower } from './view-follower.ts';

const [FIRST = ''] = Object.keys(SMALL_DAYS);

let folder: string;
/** What two stores hold that have nothing to do with each other. */
let ours: string;
let oursView: string;
let others: string;
/** Of the test at hand. */
let store: string;
let views: string;
let follower: ViewFollower | undefined;
/** The releases that followers have reported. */
const reported: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'modelstats-kept-'));
  [ours, others] = [join(folder, 'ours'), join(folder, 'others')];
  for (const [runPrefix, to] of [
    ['OURS', ours],
    ['OTHERS', others],
  ] as const) {
    const nights = await openTemporaryStore({ runPrefix });
    await nights.publish(FIRST, SMALL_DAYS[FIRST] ?? {});
    await cp(nights.folder, to, { recursive: true });
    await nights.dispose();
  }
  views = oursView = join(folder, 'ours-view');
  await open(new FileStore(ours));
  await close();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A view of our store is kept. */
beforeEach(async () => {
  [store, views] = [await mkdtemp(join(folder, 'store-')), await mkdtemp(join(folder, 'views-'))];
  await cp(ours, store, { recursive: true });
  await cp(oursView, views, { recursive: true });
  await writeFile(join(views, 'store'), new FileStore(store).url);
});
afterEach(close);

async function close(): Promise<void> {
  await follower?.stop();
  follower = undefined;
}

async function open(from: ObjectStore): Promise<ViewFollower> {
  const settings = {
    duckdb: { memoryLimit: '300MB', threads: 1 },
    limits: { queriesMax: 1, queriesWaitingMax: 1, queryTimeoutMs: 20_000 },
    downloadsMax: 2,
    pollMs: 3_600_000,
    retryMaxMs: 3_600_000,
  };
  const place = await ViewFolder.acquire(views);
  follower = new ViewFollower(settings, {
    store: from,
    folder: place,
    clock: () => new Date(),
    write: writeView,
    onEvent: () => {},
    onRelease: ({ day, run }) => reported.push(`${day}.${run}`),
  });
  await follower.start();
  return follower;
}

/** A store that does something before each call. */
function watched(inner: ObjectStore, before: (name: string) => void): ObjectStore {
  return new Proxy(inner, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        before(String(name));
        return value.apply(target, args);
      };
    },
  });
}

const gone = (inner: ObjectStore) =>
  watched(inner, () => {
    throw new AppError('store_unavailable', 'the store is away');
  });

describe('a view that an earlier process left', () => {
  test.each([
    ['at another address', async () => new FileStore(others)],
    [
      'at the same address',
      async () => {
        await rm(store, { recursive: true });
        await cp(others, store, { recursive: true });
        return new FileStore(store);
      },
    ],
  ])('is never served where the store is another one, %s', async (_, exchange) => {
    const served: unknown[] = [];
    const other = watched(await exchange(), (name) => {
      if (name === 'stream') served.push(follower?.release);
    });
    const its = await open(other);
    expect(served.length).toBeGreaterThan(0);
    expect(new Set(served), 'while the view of that store was built').toEqual(new Set([undefined]));
    expect(its.release?.run).toMatch(/^OTHERS/);
  });

  test('is served where the store has moved with all it holds', async () => {
    const moved = join(folder, 'moved');
    await cp(store, moved, { recursive: true });
    const called: string[] = [];
    const its = await open(watched(new FileStore(moved), (name) => called.push(name)));
    expect(its.release?.run).toMatch(/^OURS/);
    expect(called).not.toContain('stream');
  });

  test('is served while its store is away, and no other while another store is', async () => {
    expect((await open(gone(new FileStore(store)))).release?.run).toMatch(/^OURS/);
    await close();
    expect((await open(gone(new FileStore(others)))).release).toBeUndefined();
  });

  test('waits for a silent store only as long as configured', async () => {
    const its = await open(new FileStore(store));
    const { meta } = its.current();
    const silent = new Proxy(new FileStore(store), {
      get: (target, name) => (name === 'url' ? target.url : () => new Promise(() => {})),
    });
    expect(await isFromStore(silent, { meta, url: silent.url }, 1)).toBe(true);
    expect(await isFromStore(silent, { meta, url: undefined }, 1)).toBe(false);
  });
});

test('another store under the address of the one being served is refused until a restart', async () => {
  const its = await open(new FileStore(store));
  await rm(store, { recursive: true });
  await cp(others, store, { recursive: true });
  await its.refresh();
  expect(its.release?.run).toMatch(/^OURS/);
  expect(its.problem).toMatchObject({ code: 'corrupt', message: expect.stringContaining('other releases') });
  await close();
  expect((await open(new FileStore(store))).release?.run).toMatch(/^OTHERS/);
});

test('the newest release is reported once, whether its view is built or cached', async () => {
  await close();
  reported.splice(0);
  const kept = await open(new FileStore(store));
  await kept.refresh();
  expect(reported).toEqual([expect.stringMatching(new RegExp(`^${FIRST}\\.OURS`))]);
  await close();
  views = await mkdtemp(join(folder, 'views-'));
  await open(new FileStore(store));
  expect(reported).toEqual([reported[0], reported[0]]);
});
