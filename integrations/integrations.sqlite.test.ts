import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { describeBonus } from './bonus.contract.ts';
import { describeIntegrations } from './integrations.contract.ts';
import { describeChecks } from './queue/checks.contract.ts';

let folder: string;
let databases = 0;
const another = async () => `sqlite:${join(folder, `${++databases}.db`)}`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'modelstats-integrations-'));
});
afterAll(() => rm(folder, { recursive: true }));

describeIntegrations('SQLite', another);

describeBonus('SQLite', another);
describeChecks('SQLite', another);
