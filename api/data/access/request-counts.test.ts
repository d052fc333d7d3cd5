import { describe, expect, onTestFinished, test } from 'vitest';
import { AppError } from '../../../runtime/errors.ts';
import { type Customer, times } from '../../../test/support/accounts/subject.ts';
import { NOON } from '../../../test/support/api/open-api.ts';
import { replaceQuota } from '../../../test/support/api/test-accounts.ts';
import { openOwnApi, useApi } from '../../../test/support/api/use-api.ts';
import { MODEL, SAMPLE_DAYS } from '../../../test/support/pipeline/sample-store.ts';
import { SYSTEM } from '../../accounts/actor.ts';
import type { Accounts } from '../../accounts/open-accounts.ts';
import { revokeKey } from '../../accounts/organizations/keys.ts';
import type { UsageReport } from '../../accounts/request-counts/read-usage.ts';
import { NO_REQUESTS, type RequestCounts } from '../../accounts/request-counts/request-counts.ts';
import { AccessControl, type RouteAccess } from './access-control.ts';

/** The organization for which the quota can't be asked; empty: none. */
let outageOf = '';
const api = useApi({
  days: SAMPLE_DAYS,
  accounts: {
    wrap: (accounts) =>
      replaceQuota(accounts, {
        reserve: async (caller, ...given) => {
          if (caller.organizationId === outageOf) throw new AppError('unavailable', 'down');
          return accounts.quota.reserve(caller, ...given);
        },
      }),
  },
});

const TODAY = { from: '2026-06-30', to: '2026-06-30' };

function addCustomer(daily_quota: number | null = null, burst_per_minute = 10_000): Promise<Customer> {
  return api.accounts.add({ plan: 'builder', contract: { daily_quota, burst_per_minute } });
}

function reportOf({ organizationId }: Customer): Promise<UsageReport> {
  return api.accounts.accounts.readUsage(organizationId, TODAY);
}

/** What is counted by route, once all of these requests are over. */
async function routesOf(customer: Customer, requests: number) {
  await expect.poll(async () => (await reportOf(customer)).total.requests).toBe(requests);
  const { routes } = await reportOf(customer);
  return Object.fromEntries(routes.map(({ route, ...counted }) => [route, counted]));
}

const MODELS: RouteAccess = { name: '/v1/models', capability: 'current', feature: null, limitPerMinute: 60 };

/** Access without a server. */
function controlOf(accounts: Accounts): AccessControl {
  const countFailure = async () => {};
  return new AccessControl({ accounts, clock: api.clock.now, capabilities: {}, backstop: {}, countFailure });
}

function counts(some: Partial<RequestCounts>): RequestCounts {
  return { ...NO_REQUESTS, ...some };
}

describe('what a request counts as (specification "Usage details")', () => {
  test('an answer is a unit, on its route, whatever its method and parameters; a 304 has saved one, and so has a repeat', async () => {
    const customer = await addCustomer();
    const { headers } = await api.ask(customer, '/v1/models');
    await api.ask(customer, '/v1/models', { headers: { 'if-none-match': String(headers.etag) } });
    await api.ask(customer, '/v1/models?limit=1', { method: 'HEAD' });
    await api.ask(customer, `/v1/models/${MODEL}`);
    await times(3, () => api.ask(customer, '/v1/scores', { headers: { 'idempotency-key': 'a' } }));
    expect(await routesOf(customer, 7)).toEqual({
      '/v1/models': counts({ requests: 3, units: 2, not_modified: 1 }),
      '/v1/models/{id}': counts({ requests: 1, units: 1 }),
      '/v1/scores': counts({ requests: 3, units: 1, shared_units: 2 }),
    });
  });

  test('refusals count by kind: 403, 404, 405, 422 and 400 together, the quota and the limits per minute apart', async () => {
    const customer = await api.accounts.add({ contract: { daily_quota: 1, burst_per_minute: 9 } });
    const wrong = ['/v1/changes', '/v1/models/none', '/v1/nothing', '/v1/models?limit=0', '/v1/models/%FF'];
    const statuses: number[] = [];
    for (const url of [...wrong, '/v1/models', '/v1/models']) statuses.push((await api.ask(customer, url)).statusCode);
    statuses.push((await api.ask(customer, '/v1/models', { method: 'POST' })).statusCode);
    await times(2, async () => statuses.push((await api.ask(customer, '/v1/scores')).statusCode));
    expect(statuses).toEqual([403, 404, 404, 422, 400, 200, 429, 405, 429, 429]);
    expect(await routesOf(customer, 10)).toEqual({
      '/v1/changes': counts({ requests: 1, client_errors: 1 }),
      '/v1/models/{id}': counts({ requests: 1, client_errors: 1 }),
      '/v1/models': counts({ requests: 4, units: 1, quota_exceeded: 1, client_errors: 2 }),
      '/v1/scores': counts({ requests: 2, rate_limited: 1, quota_exceeded: 1 }),
      unknown: counts({ requests: 2, client_errors: 2 }),
    });
  });

  test("a route's own limit counts like the organization's, and a capability that is planned like no route", async () => {
    const other = await openOwnApi({
      store: api.store.url,
      accounts: { open: { enforcement: { mode: 'measure', from: null } } }, // So that no organization's limit comes first.
      settings: { backstop: { '/v1/models': 2 }, capabilities: { changes: 'planned' } },
    });
    const customer = await other.accounts.add({ plan: 'builder', contract: { burst_per_minute: 2 } });
    const urls = ['/v1/models', '/v1/models', '/v1/models', '/v1/changes'];
    for (const url of urls) await other.ask(customer, url);
    await expect
      .poll(async () => (await other.accounts.accounts.readUsage(customer.organizationId, TODAY)).routes)
      .toEqual([
        { route: '/v1/models', ...counts({ requests: 3, units: 2, rate_limited: 1 }) },
        { route: 'unknown', ...counts({ requests: 1, client_errors: 1 }) },
      ]);
  });

  test('an answer that fails is a server error and no unit', async () => {
    const customer = await addCustomer();
    outageOf = customer.organizationId;
    expect((await api.ask(customer, '/v1/models')).statusCode).toBe(503);
    outageOf = '';
    expect(await routesOf(customer, 1)).toEqual({ '/v1/models': counts({ requests: 1, server_errors: 1 }) });
  });

  test('a request counts on the day of its unit, one without a unit on that of its end', async () => {
    const customer = await addCustomer();
    const { accounts } = api.accounts;
    const control = controlOf(accounts);
    const admit = async () => control.admit({ bearerToken: customer.key, clientAddress: undefined }, MODELS);
    const [counted, fresh] = [await admit(), await admit()];
    onTestFinished(() => api.clock.set(NOON));
    api.clock.set('2026-06-30T23:59:59.999Z');
    await counted.takeUnit();
    api.clock.set('2026-07-01T00:00:00Z');
    for (const [admission, status, end] of [
      [counted, 200, '2026-07-01'],
      [fresh, 304, '2026-07-02'],
    ] as const) {
      const headers = await admission.settle(status);
      expect(headers['X-Quota-Reset'], 'the end of that day').toBe(String(Date.parse(end) / 1000));
      admission.finish();
    }
    const { days } = await accounts.readUsage(customer.organizationId, { from: '2026-06-30', to: '2026-07-01' });
    expect(days).toEqual([
      { day: '2026-06-30', limit: null, ...counts({ requests: 1, units: 1 }) },
      { day: '2026-07-01', limit: null, ...counts({ requests: 1, not_modified: 1 }) },
    ]);
  });

  test('a client that is gone while its unit goes back is not charged for it', async () => {
    const customer = await addCustomer();
    let refund = () => {};
    const accounts = replaceQuota(api.accounts.accounts, {
      release: async (reservation) => {
        await new Promise<void>((resolve) => {
          refund = resolve;
        });
        return api.accounts.accounts.quota.release(reservation);
      },
    });
    const admission = await controlOf(accounts).admit({ bearerToken: customer.key, clientAddress: undefined }, MODELS);
    await admission.takeUnit();
    const settled = admission.settle(404);
    const abandoned = admission.abandon({ hasBegun: false });
    refund();
    await Promise.all([settled, abandoned]);
    expect(await routesOf(customer, 1)).toEqual({ '/v1/models': counts({ requests: 1, aborted: 1 }) });
  });

  test('no valid key counts nowhere', async () => {
    const customer = await addCustomer();
    await api.ask({ ...customer, key: 'msk_nothing' }, '/v1/models');
    await api.app.inject('/v1/models');
    await revokeKey(customer.keyId, api.accounts.accounts.as(SYSTEM));
    expect((await api.ask(customer, '/v1/models')).statusCode).toBe(401);
    expect((await reportOf(customer)).total).toEqual(NO_REQUESTS);
  });
});

test('the units of the details are those of the quota, whatever was shared, failed or given back', async () => {
  const customer = await addCustomer(12);
  const urls = ['/v1/models', '/v1/models/none', '/v1/scores', '/v1/models?limit=0', `/v1/models/${MODEL}`];
  const asked = await times(60, (index) => {
    const headers: Record<string, string> = index % 3 === 0 ? { 'idempotency-key': `${index % 4}` } : {};
    return api.ask(customer, urls[index % urls.length] ?? '', { headers });
  });
  await routesOf(customer, asked.length);
  const { total, keys, routes } = await reportOf(customer);
  const used = (await api.accountOf(customer)).usage.used;
  expect(total.units).toBe(used);
  for (const parts of [keys, routes]) expect(parts.reduce((sum, { units }) => sum + units, 0)).toBe(used);
  const statuses = Map.groupBy(asked, ({ statusCode }) => statusCode);
  expect(total.quota_exceeded).toBe(statuses.get(429)?.length ?? 0);
  expect(total.units + total.shared_units).toBe(statuses.get(200)?.length ?? 0);
});
