import { SYSTEM } from '../../../api/accounts/actor.ts';
import type { Caller } from '../../../api/accounts/caller.ts';
import { type Accounts, type OpenAccountsOptions, openAccounts } from '../../../api/accounts/open-accounts.ts';
import { createKey } from '../../../api/accounts/organizations/keys.ts';
import { createOrganization } from '../../../api/accounts/organizations/organizations.ts';
import { NO_SUBSCRIPTION, type Subscription } from '../../../api/accounts/organizations/terms.ts';
import type { Awaitable } from '../../../runtime/awaitable.ts';

/** A clock that stands still until it is told. */
export class TestClock {
  #now: Date;

  constructor(start = '2026-11-20T12:00:00Z') {
    this.#now = new Date(start);
  }

  readonly now = (): Date => this.#now;

  set(time: string): void {
    this.#now = new Date(time);
  }

  advance(milliseconds: number): void {
    this.#now = new Date(this.#now.getTime() + milliseconds);
  }
}

export type Subject = Omit<ReturnType<typeof subjectAt>, 'closeAll'>;

/** The control database at an address, empty at first, for one test file; every test makes organizations of its own. */
export function subjectAt(url: () => string) {
  const opened: Accounts[] = [];
  return {
    url,
    /** The accounts on it as a process sees them; closed after the test. */
    async open(options: OpenAccountsOptions = {}) {
      const accounts = await openAccounts(url(), options);
      opened.push(accounts);
      return accounts;
    },
    async closeAll() {
      await Promise.all(opened.splice(0).map((accounts) => accounts.close()));
    },
  };
}

export type Customer = Awaited<ReturnType<typeof addCustomer>>;

export async function addCustomer(accounts: Accounts, subscription: Partial<Subscription> = {}) {
  const changes = accounts.as(SYSTEM);
  const { id } = await createOrganization(
    { name: 'Acme', subscription: { ...NO_SUBSCRIPTION, ...subscription } },
    changes,
  );
  const { id: keyId, key } = await createKey({ organizationId: id, name: 'test' }, changes);
  /** Who asks with that key, as of now. */
  const caller = (from: Accounts = accounts) => callerOf(from, key);
  return { organizationId: id, keyId, key, caller };
}

export async function callerOf(accounts: Accounts, key: string): Promise<Caller> {
  const caller = await accounts.authenticate(key);
  if (caller === undefined) throw new Error('the key is not accepted');
  return caller;
}

/** So many at once. */
export function times<T>(count: number, work: (index: number) => Awaitable<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => work(index)));
}
