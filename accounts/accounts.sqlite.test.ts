import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeAccounts } from './accounts.contract.ts';

describeAccounts('SQLite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'modelstats-accounts-'));
  let databases = 0;
  const another = async () => `sqlite:${join(folder, `${++databases}`, 'accounts.db')}`;
  return { url: await another(), another, close: () => rm(folder, { recursive: true }) };
});
