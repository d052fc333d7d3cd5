import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { openAccounts } from '../../api/accounts/open-accounts.ts';
import { addCustomer, type Customer } from '../support/accounts/subject.ts';
import { fetchOnce } from '../support/api/listen.ts';
import { openSampleStore } from '../support/pipeline/sample-store.ts';
import { callCli } from '../support/processes/cli.ts';
import { ServingProcess } from '../support/processes/serving-process.ts';
import { useFolder } from '../support/temporary-folder.ts';

const path = useFolder();
const database = () => `sqlite:${path('accounts.db')}`;
let customer: Omit<Customer, 'caller'>;

beforeAll(async () => {
  const accounts = await openAccounts(database());
  customer = await addCustomer(accounts, { plan: 'builder' });
  await accounts.close();
});

function serve(store: string, seconds: number): Promise<ServingProcess> {
  const env = { MODELSTATS_USAGE_DETAIL_SECONDS: String(seconds), MODELSTATS_METRICS_OPEN: 'true' };
  return ServingProcess.start({ store, database: database(), env });
}

/** `modelstats orgs usage`, which must succeed. */
async function tell(...options: readonly string[]): Promise<string> {
  const args = ['orgs', 'usage', customer.organizationId, '--days', '2', ...options];
  const { code, stdout, stderr } = await callCli(args, { env: { MODELSTATS_DATABASE: database() }, cwd: path() });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

/** The counts of the last two days. */
async function totalNow(): Promise<Record<string, number>> {
  return JSON.parse(await tell('--json')).total;
}

test('usage is written while a server runs, and the rest when it stops; `orgs usage` tells it in three forms', async () => {
  const store = await openSampleStore();
  onTestFinished(store.dispose);
  expect(await totalNow()).toMatchObject({ requests: 0, units: 0 });
  const quick = await serve(store.folder, 1);
  for (const route of ['models', 'scores', 'models/none']) await fetchOnce(`${quick.url}/v1/${route}`, customer.key);
  await expect.poll(totalNow, { timeout: 10_000, interval: 300 }).toMatchObject({ requests: 3, units: 2 });
  expect(await (await fetch(`${quick.url}/metrics`)).text()).toContain('\nmodelstats_usage_details_dropped_total 0\n');
  await quick.dispose();

  const slow = await serve(store.folder, 3_600);
  await fetchOnce(`${slow.url}/v1/models`, customer.key);
  expect(await totalNow()).toMatchObject({ requests: 3, units: 3 });
  await slow.end('SIGTERM');
  expect(await totalNow()).toMatchObject({ requests: 4, units: 3, client_errors: 1 });
  await slow.dispose();

  const text = await tell();
  expect(text).toContain(`${customer.organizationId} used 3 units with 4 requests`);
  expect(text).toMatch(/\/v1\/models\/\{id\} +│ +1 +│ +0 /);
  const [header, ...lines] = (await tell('--csv')).split('\r\n');
  expect(header).toMatch(/^day,key_id,/);
  expect(lines.filter((line) => line.includes(',/v1/models,api_key,2,2,0,'))).toHaveLength(1);
  expect(lines.at(-1)).toBe('');
});
