import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Accounts, type OpenAccountsOptions, openAccounts } from '../../../api/accounts/open-accounts.ts';
import type { PlanName } from '../../../api/accounts/organizations/plans.ts';
import type { Subscription } from '../../../api/accounts/organizations/terms.ts';
import type { BackstopLimits } from '../../../api/data/access/access-control.ts';
import { V1_ROUTES } from '../../../api/data/routes/data-routes.ts';
import { addCustomer } from '../accounts/subject.ts';

export interface TestAccountsOptions {
  /** Default: a SQLite file that goes away with the API. */
  readonly database?: string;
  /** Whose key `get` and `json` send; default: none. */
  readonly as?: PlanName;
  readonly open?: OpenAccountsOptions;
  /** Stands between the API and the accounts, to make them fail. */
  readonly wrap?: (accounts: Accounts) => Accounts;
}

/** The accounts of a test's API, with an organization and a key per plan. */
export type TestAccounts = Awaited<ReturnType<typeof openTestAccounts>>;

/** Opens accounts whose clock is the API's. */
export async function openTestAccounts({ database, open = {} }: TestAccountsOptions, clock: () => Date) {
  const folder = database === undefined ? await mkdtemp(join(tmpdir(), 'modelstats-api-accounts-')) : undefined;
  const url = database ?? `sqlite:${join(folder ?? '', 'accounts.db')}`;
  const accounts = await openAccounts(url, { clock, ...open });
  const add = (subscription: Partial<Subscription> = {}) => addCustomer(accounts, subscription);
  const customers = {
    community: await add(),
    builder: await add({ plan: 'builder' }),
    commercial: await add({ plan: 'commercial' }),
  };
  return {
    accounts,
    url,
    customers,
    add,
    close: async () => {
      await accounts.close();
      if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A backstop that is in nobody's way. */
export const WIDE_BACKSTOP: BackstopLimits = Object.fromEntries(V1_ROUTES.map(({ name }) => [name, 1_000_000]));

/** The same accounts with some of the quota's methods replaced. */
export function replaceQuota(accounts: Accounts, replaced: Partial<Accounts['quota']>): Accounts {
  const { quota } = accounts;
  const value: Accounts['quota'] = {
    reserve: (...given) => quota.reserve(...given),
    settle: (...given) => quota.settle(...given),
    release: (...given) => quota.release(...given),
    usage: (...given) => quota.usage(...given),
    ...replaced,
  };
  // Not a copy: `problem` is asked for each time.
  return Object.create(accounts, { quota: { value } }) as Accounts;
}

export function bearer(key: string): { readonly authorization: string } {
  return { authorization: `Bearer ${key}` };
}
