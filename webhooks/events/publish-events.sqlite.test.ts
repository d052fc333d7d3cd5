import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeEvents } from './publish-events.contract.ts';

describeEvents('SQLite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'modelstats-events-'));
  let databases = 0;
  const another = async () => {
    databases += 1;
    return `sqlite:${join(folder, String(databases), 'accounts.db')}`;
  };
  return { another, close: () => rm(folder, { recursive: true }) };
});
