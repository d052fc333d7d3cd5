import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { AppError } from '../../../runtime/errors.ts';
import { FileStore } from '../../../storage/file/file-store.ts';
import type { ObjectStore } from '../../../storage/object-store.ts';
import { ViewFolder } from './view-folder.ts';
import { ViewFollower } from './view-follower.ts';

const POLL_MS = 1000;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'modelstats-pace-'));
});
afterEach(async () => {
  vi.useRealTimers();
  await rm(folder, { recursive: true });
});

/** The waits between looks at a store, in polls, over twenty of them. */
async function waitsOf(head: () => ReturnType<ObjectStore['head']>): Promise<readonly number[]> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  let nowMs = 0;
  const looks: number[] = [];
  const replaced: Partial<ObjectStore> = {
    head: () => {
      looks.push(nowMs);
      return head();
    },
    get: async () => undefined,
  };
  const store = new Proxy(new FileStore(folder), {
    get: (target, name) => Reflect.get(name in replaced ? replaced : target, name) as unknown,
  });
  const follower = new ViewFollower(
    {
      duckdb: { memoryLimit: '100MB', threads: 1 },
      limits: { queriesMax: 1, queriesWaitingMax: 1, queryTimeoutMs: 1000 },
      downloadsMax: 1,
      pollMs: POLL_MS,
      retryMaxMs: 5 * POLL_MS,
    },
    { store, folder: await ViewFolder.acquire(join(folder, 'view')), clock: () => new Date(), onEvent: () => {} },
  );
  await follower.start();
  while (nowMs < 20 * POLL_MS) {
    nowMs += POLL_MS / 2;
    await vi.advanceTimersByTimeAsync(POLL_MS / 2);
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }
  await follower.stop();
  return looks.slice(1).map((at, index) => (at - (looks[index] ?? 0)) / POLL_MS);
}

test('after failures the wait before the next poll doubles from the usual one to the longest', async () => {
  const waits = await waitsOf(async () => {
    throw new AppError('store_unavailable', 'away');
  });
  expect(waits).toEqual([1, 2, 4, 5, 5]);
});

test('a store in which nothing is published yet is polled as often as any other', async () => {
  const waits = await waitsOf(async () => undefined);
  expect(waits.length).toBeGreaterThan(10);
  expect(Math.max(...waits)).toBeLessThan(2);
});
