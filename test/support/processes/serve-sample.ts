import { onTestFinished } from 'vitest';
import { openAccounts } from '../../../api/accounts/open-accounts.ts';
import { addCustomer } from '../accounts/subject.ts';
import { openSampleStore } from '../pipeline/sample-store.ts';
import { newFolder } from '../temporary-folder.ts';
import { ServingProcess } from './serving-process.ts';

/** The address of a SQLite file that goes away with the test. */
export async function temporarySqlite(): Promise<string> {
  return `sqlite:${await newFolder()}/accounts.db`;
}

interface ServeSampleOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** The control database's address; one of its own unless given. */
  readonly database?: string;
  readonly contract?: object;
}

/** The real server on the sample days, until the test is over, with a customer whose limits are in nobody's way unless given. */
export async function serveSample({
  env = {},
  database,
  contract = { burst_per_minute: 1_000_000 },
}: ServeSampleOptions = {}) {
  const url = database ?? (await temporarySqlite());
  const accounts = await openAccounts(url);
  const customer = await addCustomer(accounts, { plan: 'commercial', contract });
  await accounts.close();
  const store = await openSampleStore();
  onTestFinished(() => store.dispose());
  const serving = await ServingProcess.start({ store: store.folder, viewOf: store.folder, database: url, env });
  onTestFinished(() => serving.dispose());
  return { ...customer, serving, store: store.folder, database: url };
}
