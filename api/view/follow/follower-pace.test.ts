import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { AppError } from '../../../schemas/errors.ts';
import { FileStore } from '../../../storage/file/file-store.ts';
import type { ObjectStore } from '../../../storage/object-store.ts';
import { ViewFolder } from '../view-folder.ts';
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

test('after failures the catalog is looked at again with a wait that doubles from the usual one to the longest', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  let nowMs = 0;
  const looks: number[] = [];
  const head: ObjectStore['head'] = async () => {
    looks.push(nowMs);
    throw new AppError('store_unavailable', 'away');
  };
  const store = new Proxy(new FileStore(folder), {
    get: (target, name) => (name === 'head' ? head : (Reflect.get(target, name) as unknown)),
  });
  const follower = new ViewFollower(
    {
      duckdb: { memoryLimit: '100MB', threads: 1 },
      limits: { queriesMax: 1, queriesWaitingMax: 1, queryTimeoutMs: 1000 },
      downloadsMax: 1,
      pollMs: POLL_MS,
      retryMaxMs: 5 * POLL_MS,
    },
    { store, folder: await ViewFolder.take(join(folder, 'view')), clock: () => new Date(), onEvent: () => {} },
  );
  await follower.start();
  while (nowMs < 20 * POLL_MS) {
    nowMs += POLL_MS / 2;
    await vi.advanceTimersByTimeAsync(POLL_MS / 2);
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }
  const waits = looks.slice(1).map((at, index) => at - (looks[index] ?? 0));
  expect(waits).toEqual([1, 2, 4, 5, 5].map((polls) => polls * POLL_MS));
  await follower.stop();
});
