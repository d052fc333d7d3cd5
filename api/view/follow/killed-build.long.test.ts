import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { CATALOG_KEY } from '../../../storage/keys.ts';
import { openApi, type TestApi } from '../../../test/support/api/open-api.ts';
import { openTemporaryStore } from '../../../test/support/pipeline/temporary-store.ts';
import { SMALL_DAYS, TODAY } from '../../../test/worlds/small-days.ts';
import { HISTORY_KINDS } from '../history-kinds.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

const KILLS = 8;
const CHILD = join(import.meta.dirname, '../../../test/support/api/follow-child.ts');
const DAYS = Object.keys(SMALL_DAYS);
const NOW = `${TODAY}T12:00:00Z`;

let folder: string;
/** Stores with all days but the last, and with all. */
let before: string;
let after: string;
/** What a view says that is built from nothing. */
let expected: readonly string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'modelstats-killed-build-'));
  [before, after] = [join(folder, 'before'), join(folder, 'after')];
  const nights = await openTemporaryStore();
  for (const day of DAYS) {
    if (day === DAYS.at(-1)) await cp(nights.folder, before, { recursive: true });
    await nights.publish(day, SMALL_DAYS[day] ?? {});
  }
  await cp(nights.folder, after, { recursive: true });
  await nights.dispose();
  expected = await responsesOf(await openApi({ store: `file:${after}`, now: NOW }));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The whole feed, in pages too, and every history of some models. */
async function responsesOf(api: TestApi): Promise<readonly string[]> {
  const histories = ['a', 'gone'].flatMap((model) =>
    HISTORY_KINDS.map((kind) => `/v1/models/${model}/history?kind=${kind}`),
  );
  const paths = ['/v1/changes', '/v1/changes?limit=7', '/v1/changes?entity_type=pricing', ...histories];
  const bodies: string[] = [];
  for (const path of paths) {
    const { statusCode, body } = await api.get(path);
    expect([path, statusCode]).toEqual([path, 200]);
    bodies.push(body);
  }
  await api.close();
  return bodies;
}

interface Following {
  readonly child: ChildProcess;
  readonly store: string;
  readonly views: string;
}

/** A process that serves all days but the last, and a store into which the last one may come. */
async function follow(name: string): Promise<Following> {
  const [store, views] = [join(folder, `${name}-store`), join(folder, `${name}-views`)];
  await cp(before, store, { recursive: true });
  await mkdir(views);
  const child = fork(CHILD, [store, views], { execArgv: ['--import', 'tsx'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [reported] = await once(child, 'message');
  expect(reported).toEqual({ day: DAYS.at(-2) });
  return { child, store, views };
}

/** Publishes the last day as a night does: its catalog comes when all else is there. */
async function publishLast(store: string): Promise<void> {
  const catalog = join(after, CATALOG_KEY);
  await cp(after, store, { recursive: true, filter: (path) => path !== catalog });
  await cp(catalog, join(store, 'next'));
  await rename(join(store, 'next'), join(store, CATALOG_KEY));
}

async function kill({ child }: Following): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** Process ids; needs Linux. */
async function childrenOf({ pid }: ChildProcess): Promise<readonly string[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return children.split(' ').filter((id) => id !== '');
}

async function isRunning(id: string): Promise<boolean> {
  const status = await readFile(`/proc/${id}/status`, 'utf8').catch(() => 'State:\tZ');
  return !status.includes('State:\tZ');
}

test(`a process that is killed at any of ${KILLS} moments while it builds a view leaves what the next one serves in full`, async () => {
  const undisturbed = await follow('undisturbed');
  const served = once(undisturbed.child, 'message').then(() => performance.now());
  await publishLast(undisturbed.store);
  const publishedAt = performance.now();
  const buildMs = (await served) - publishedAt;
  await kill(undisturbed);
  let [interrupted, written] = [0, 0];
  for (let i = 0; i < KILLS; i += 1) {
    const following = await follow(`killed-${i}`);
    await publishLast(following.store);
    await sleep((buildMs * (i + 0.5)) / KILLS);
    const writers = await childrenOf(following.child);
    await kill(following);
    await expect
      .poll(() => Promise.all(writers.map(isRunning)), { message: 'those that write end too' })
      .not.toContain(true);
    written += writers.length;
    const { store, views } = following;
    if ((await readdir(views)).some((name) => name.endsWith('.parts'))) interrupted += 1;
    const api = await openApi({ store: `file:${store}`, viewFolder: views, now: NOW });
    expect(api.follower.release?.day).toBe(DAYS.at(-1));
    expect(await responsesOf(api)).toEqual(expected);
    expect((await readdir(views)).length, 'one view and the three files of the folder').toBe(4);
  }
  expect(interrupted).toBeGreaterThan(0);
  expect(written).toBeGreaterThan(0);
});
