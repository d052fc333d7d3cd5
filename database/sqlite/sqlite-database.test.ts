import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { describeControlDatabase } from '../database.contract.ts';

let folder: string;
let databases = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'modelstats-database-'));
});
afterAll(() => rm(folder, { recursive: true }));

describeControlDatabase('SQLite', async () => `sqlite:${join(folder, `${++databases}.db`)}`);
