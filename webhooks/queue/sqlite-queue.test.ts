import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { describeDeliveryQueue } from './delivery-queue.contract.ts';

let folder: string;
let databases = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'modelstats-queue-'));
});
afterAll(() => rm(folder, { recursive: true }));

describeDeliveryQueue('SQLite', async () => `sqlite:${join(folder, `${++databases}.db`)}`);
