import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { describePeople } from './people.contract.ts';

let folder: string;
let databases = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'modelstats-people-'));
});
afterAll(() => rm(folder, { recursive: true }));

describePeople('SQLite', async () => `sqlite:${join(folder, `${++databases}.db`)}`);
