import { watch } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { constants, getPriority } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import type { Catalog } from '../../../schemas/catalog.ts';
import { loadCatalog } from '../../../storage/catalog.ts';
import { dumpView } from '../../../test/support/api/dump-view.ts';
import { openTemporaryStore, type TemporaryStore } from '../../../test/support/pipeline/temporary-store.ts';
import { useFolder } from '../../../test/support/temporary-folder.ts';
import { SMALL_DAYS } from '../../../test/worlds/small-days.ts';
import { writeView } from '../write/write-view.ts';
import { type BuildDeps, buildView, type ViewFile } from './build-view.ts';
import { writeInChild } from './write-in-child.ts';

const [FIRST = '', SECOND = ''] = Object.keys(SMALL_DAYS);
const place = useFolder();
let store: TemporaryStore;
/** Of the first night. */
let before: ViewFile;
let catalog: Catalog;
let folder: string;

beforeAll(async () => {
  store = await openTemporaryStore();
  await store.publish(FIRST, SMALL_DAYS[FIRST] ?? {});
  await mkdir(place('before'));
  folder = place('before');
  before = await build(undefined, writeView);
  await store.publish(SECOND, SMALL_DAYS[SECOND] ?? {});
  catalog = await getCatalog();
});
afterAll(() => store.dispose());
beforeEach(async () => {
  folder = place('views');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder);
});

async function getCatalog(): Promise<Catalog> {
  return (await loadCatalog(store.deps.store)).catalog ?? expect.fail();
}

async function build(previous: ViewFile | undefined, write: BuildDeps['write'], signal?: AbortSignal) {
  const duckdb = { memoryLimit: '300MB', threads: 1 };
  const paths = { path: join(folder, 'view.sqlite'), scratch: join(folder, 'view.parts') };
  return buildView(
    { catalog: await getCatalog(), previous, ...paths },
    { store: store.deps.store, downloadsMax: 4, duckdb, write, signal },
  );
}

/** Process ids of this process' children that write a view. */
async function writers(): Promise<readonly number[]> {
  const children = await readFile(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8');
  const ids = children.trim().split(' ').filter(Boolean).map(Number);
  const isWriter = async (id: number) =>
    (await readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')).includes('write-child');
  const are = await Promise.all(ids.map(isWriter));
  return ids.filter((_, at) => are[at]);
}

test('a view that a process of its own writes is the one that this process would write, and the process ends', async () => {
  const written = await build(before, writeInChild);
  const dump = dumpView(written.path);
  await rm(written.path);
  const here = await build(before, writeView);
  expect([written.isExtended, here.isExtended]).toEqual([true, true]);
  expect(dump).toEqual(dumpView(here.path));
  expect(written).toEqual(here);
  await expect.poll(writers).toEqual([]);
});

test('the death of the process is an error that says so and leaves no file, and the next attempt works', async () => {
  const watcher = watch(folder, (_, name) => {
    if (name === 'view.sqlite') void kill();
  });
  onTestFinished(() => watcher.close());
  const killed = build(undefined, writeInChild);
  await expect(killed).rejects.toThrow('the process that writes the view ended with SIGKILL');
  expect(await readdir(folder)).toEqual([]);
  watcher.close();
  expect((await build(undefined, writeInChild)).meta.catalog).toEqual(catalog);
  expect(await readdir(folder)).toEqual(['view.sqlite']);
});

async function kill(): Promise<void> {
  for (const id of await writers()) process.kill(id, 'SIGKILL');
}

/** Of all threads of the processes that write while a view is built, once it has a file. */
async function prioritiesDuring(previous: ViewFile | undefined): Promise<ReadonlySet<number>> {
  const seen: Promise<readonly number[]>[] = [];
  const watcher = watch(folder, (_, name) => {
    if (name === 'view.sqlite')
      seen.push(writers().then(async (ids) => (await Promise.all(ids.map(priorities))).flat()));
  });
  await build(previous, writeInChild);
  watcher.close();
  return new Set((await Promise.all(seen)).flat());
}

/** Of a process' threads; none after its end. */
async function priorities(id: number): Promise<readonly number[]> {
  const threads = await readdir(`/proc/${id}/task`).catch(() => []);
  const stats = threads.map((thread) => readFile(`/proc/${id}/task/${thread}/stat`, 'utf8').catch(() => undefined));
  // Field 19 of proc(5); the first two end with the name in parentheses.
  return (await Promise.all(stats)).flatMap((stat) =>
    stat === undefined ? [] : Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]),
  );
}

test('a first view is written at the priority of the service, later ones at a lower one', async () => {
  expect(await prioritiesDuring(undefined)).toEqual(new Set([getPriority()]));
  expect(await prioritiesDuring(before)).toEqual(
    new Set([Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL)]),
  );
});

test('the death of a process that follows is no more than a reason to build anew', async () => {
  let deaths = 0;
  const built = await build(before, (input) => {
    const written = writeInChild(input);
    if (input.base !== undefined) {
      deaths += 1;
      void expect.poll(writers).not.toEqual([]).then(kill);
    }
    return written;
  });
  expect([deaths, built.isExtended]).toEqual([1, false]);
  expect(await readdir(folder)).toEqual(['view.sqlite']);
});

test('a stop ends the process, and what it was to write is not built anew', async () => {
  await expect.poll(writers).toEqual([]); // Those of other tests have ended.
  const stop = new AbortController();
  let writes = 0;
  const stopped = build(
    before,
    (input, signal) => {
      writes += 1;
      void expect
        .poll(writers)
        .not.toEqual([])
        .then(() => stop.abort());
      return writeInChild(input, signal);
    },
    stop.signal,
  );
  await expect(stopped).rejects.toThrow('SIGKILL');
  expect([writes, await writers(), await readdir(folder)]).toEqual([1, [], []]);
  await expect(build(before, writeInChild, stop.signal)).rejects.toThrow();
  expect(await readdir(folder)).toEqual([]);
});

test('an error keeps its code and its message', async () => {
  const failing = (spoil: (path: string) => Promise<unknown>) =>
    build(undefined, async (input) => {
      await spoil(input.parts.state.scores);
      return writeInChild(input);
    });
  const wrong = build(undefined, (input) =>
    writeInChild({ ...input, parts: { ...input.parts, newest: { ...input.parts.newest, last_seq: 1 } } }),
  );
  await expect(wrong).rejects.toMatchObject({
    code: 'corrupt',
    message: expect.stringContaining('the view has events'),
  });
  await expect(failing((path) => writeFile(path, 'garbage'))).rejects.toMatchObject({
    message: expect.stringContaining('scores.parquet'),
  });
  expect(await readdir(folder)).toEqual([]);
});

test('a path that cannot be written is an error that names it', async () => {
  const failing = build(undefined, (input) => writeInChild({ ...input, path: join(folder, 'nowhere', 'view.sqlite') }));
  await expect(failing).rejects.toThrow(/directory does not exist/);
});
