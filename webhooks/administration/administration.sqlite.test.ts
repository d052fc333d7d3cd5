import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { describeAdministration } from './administration.contract.ts';
import { describeReplay } from './replay.contract.ts';

let folder: string;
let databases = 0;
const another = async () => `sqlite:${join(folder, `${++databases}.db`)}`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'modelstats-webhooks-'));
});
afterAll(() => rm(folder, { recursive: true }));

describeAdministration('SQLite', another);
describeReplay('SQLite', another);
