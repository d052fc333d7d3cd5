import type { LightMyRequestResponse } from 'fastify';
import { type Customer, TestClock } from '../../accounts/testing/subject.ts';
import { type Account, AccountSchema } from '../../schemas/account.ts';
import { fixtureSource, openTemporaryStore, type TemporaryStore } from '../../test/nights.ts';
import { bearer, type TestAccounts, type TestAccountsOptions } from './test-accounts.ts';
import { openTestApi, type TestApi, type TestApiOptions } from './test-api.ts';

/** The days of the sample store; its snapshots are theirs. */
export const SAMPLE_DAYS = ['2026-06-01', '2026-06-02', '2026-06-03'] as const;
/** When the sample APIs' clocks begin: the last day of a month of 30. */
export const NOON = '2026-06-30T12:00:00Z';
export const MODEL = 'aurora-2';

/** A store with three small days in it. */
export async function publishSample(): Promise<TemporaryStore> {
  const store = await openTemporaryStore();
  for (const day of SAMPLE_DAYS) await store.night(`${fixtureSource('days')}/${day}`, day);
  return store;
}

/** The API with accounts over a store, and a clock that stands until it is told. */
export interface GuardedApi extends TestApi {
  readonly accounts: TestAccounts;
  readonly clock: TestClock;
  /** Asks as a customer does; `method` is GET unless told. */
  ask(customer: Customer, url: string, options?: AskOptions): Promise<LightMyRequestResponse>;
  accountOf(customer: Customer): Promise<Account>;
}

export interface AskOptions {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'OPTIONS' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
}

export type GuardedOptions = Omit<TestApiOptions, 'accounts' | 'now'> & TestAccountsOptions;

export async function openGuardedApi(storeFolder: string, options: GuardedOptions = {}): Promise<GuardedApi> {
  const { database, as, open, wrap, ...api } = options;
  const clock = new TestClock(NOON);
  const accountsOptions: TestAccountsOptions = {
    ...(database === undefined ? {} : { database }),
    ...(as === undefined ? {} : { as }),
    ...(open === undefined ? {} : { open }),
    ...(wrap === undefined ? {} : { wrap }),
  };
  const opened = await openTestApi(`file:${storeFolder}`, { ...api, now: clock.now, accounts: accountsOptions });
  const { accounts } = opened;
  if (accounts === undefined) throw new Error('the API was opened without accounts');
  const ask: GuardedApi['ask'] = async ({ key }, url, { method = 'GET', headers = {} } = {}) =>
    opened.app.inject({ method, url, headers: { ...bearer(key), ...headers } });
  const accountOf: GuardedApi['accountOf'] = async (customer) =>
    AccountSchema.parse((await ask(customer, '/v1/account')).json());
  return { ...opened, accounts, clock, ask, accountOf };
}

/** The headers of "Response headers" that tell where a caller stands. */
export const LIMIT_HEADERS = [
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'x-quota-limit',
  'x-quota-used',
  'x-quota-remaining',
  'x-quota-reset',
  'x-service-plan',
] as const;

/** An answer's headers without those that differ each time: request id, date, counters. */
export function steadyHeaders({ headers }: LightMyRequestResponse): Record<string, unknown> {
  const changing = ['x-request-id', 'date', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'content-length'];
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !changing.includes(name)));
}

/** An answer's error without its request id. */
export function steadyError(response: LightMyRequestResponse): Record<string, unknown> {
  const { request_id, ...error } = response.json().error;
  return { ...error, hasRequestId: request_id === response.headers['x-request-id'] };
}
