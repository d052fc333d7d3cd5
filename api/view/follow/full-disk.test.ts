import { cp, mkdir, readdir, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { openApi, type TestApi } from '../../../test/support/api/open-api.ts';
import { openTemporaryStore } from '../../../test/support/pipeline/temporary-store.ts';
import { describeOnSmallDisk } from '../../../test/support/processes/small-disk.ts';
import { useFolder } from '../../../test/support/temporary-folder.ts';
import { SMALL_DAYS } from '../../../test/worlds/small-days.ts';
import { writeInChild } from './write-in-child.ts';

const [FIRST = '', SECOND = ''] = Object.keys(SMALL_DAYS);
const place = useFolder();
let store: string;
let api: TestApi | undefined;

/** What the API serves of the newest night on a disk with room. */
let expected: string;

beforeAll(async () => {
  const nights = await openTemporaryStore();
  for (const [day, name] of [
    [FIRST, 'one'],
    [SECOND, 'two'],
  ] as const) {
    await nights.publish(day, SMALL_DAYS[day] ?? {});
    await cp(nights.folder, place(name), { recursive: true });
  }
  await nights.dispose();
  await (await openApi({ store: `file:${place('one')}`, viewFolder: place('view of one') })).close();
  const served = await openApi({ store: `file:${place('two')}` });
  expected = await bodies(served);
  await served.close();
});
beforeEach(async () => {
  store = place('store');
  await rm(store, { recursive: true, force: true });
  await cp(place('one'), store, { recursive: true });
});
afterEach(async () => {
  await api?.close();
  api = undefined;
});

async function bodies({ get }: TestApi): Promise<string> {
  const paths = [
    '/v1/models',
    '/v1/scores',
    '/v1/changes',
    '/v1/models/a/history?kind=pricing',
    '/v1/rankings?category=general',
  ];
  return (await Promise.all(paths.map(async (path) => (await get(path)).body))).join('\n');
}

async function open(viewFolder: string): Promise<TestApi> {
  api = await openApi({ store: `file:${store}`, viewFolder });
  return api;
}

const publishSecond = () => cp(place('two'), store, { recursive: true, force: true });
const viewsIn = async (folder: string) => (await readdir(folder)).filter((name) => name.endsWith('.sqlite'));

describeOnSmallDisk('a view folder on a full disk', '4m', (disk) => {
  /** In KiB: the disk is full at a download, at the copy of the view, and at each part of its tables; more in `make test-long`. */
  const left = process.env['FULL_DISKS'] === 'all' ? [0, 40, 100, 150, 200, 300, 400, 500] : [0, 100, 200, 400];
  test.each(left)(
    'with %i KiB left the old view serves or the next one does, each in full, and the next one once there is room',
    async (leftKib) => {
      const views = join(disk.path, `views-${leftKib}`);
      await cp(place('view of one'), views, { recursive: true });
      const its = await open(views);
      expect(its.follower.release?.day).toBe(FIRST);
      const before = await bodies(its);
      const { bavail, bsize } = await statfs(disk.path);
      await writeFile(join(disk.path, 'filler'), Buffer.alloc(bavail * bsize - leftKib * 1024));
      await publishSecond();
      await its.follower.refresh();
      if (its.follower.release?.day === FIRST) {
        expect(its.follower.problem).toBeDefined();
        expect(await bodies(its)).toBe(before);
        expect(await viewsIn(views)).toHaveLength(1);
      } else expect(await bodies(its)).toBe(expected);
      await disk.makeRoom();
      await its.follower.refresh();
      expect([its.follower.release?.day, its.follower.problem]).toEqual([SECOND, undefined]);
      expect(await bodies(its)).toBe(expected);
      expect(await viewsIn(views)).toHaveLength(1);
      await its.close();
      api = undefined;
      await rm(views, { recursive: true });
    },
  );

  test('is a reason that the process gives which writes the view', async () => {
    let isFull = true;
    const write: typeof writeInChild = async (input) => {
      if (isFull) await disk.fill(); // After the downloads.
      return writeInChild(input);
    };
    api = await openApi({ store: `file:${store}`, viewFolder: join(disk.path, 'views'), write });
    expect(api.events).toMatchObject([{ type: 'failed', error: { message: expect.stringContaining('disk is full') } }]);
    expect(await readdir(join(disk.path, 'views'))).toEqual(['lock']);
    isFull = false;
    await disk.makeRoom();
    await api.follower.refresh();
    expect(api.follower.release?.day).toBe(FIRST);
  });
});

test('a view that could not be named the current one is named once that works', async () => {
  const views = place('views');
  const its = await open(views);
  await mkdir(join(views, 'current.new'));
  await publishSecond();
  await its.follower.refresh();
  expect(its.follower.release?.day).toBe(SECOND);
  expect(its.follower.problem).toBeDefined();
  await rm(join(views, 'current.new'), { recursive: true });
  await its.follower.refresh();
  expect(its.follower.problem).toBeUndefined();
  const [name] = await viewsIn(views);
  expect(await viewsIn(views)).toHaveLength(1);
  expect(await readFile(join(views, 'current'), 'utf8')).toMatch(new RegExp(`^${name} `));
  expect(its.follower.current().path).toBe(join(views, name ?? ''));
});
