import { describe, expect, test } from 'vitest';
import { times } from '../../../test/support/accounts/subject.ts';
import type { TestApi } from '../../../test/support/api/open-api.ts';
import { openOwnApi, useApi } from '../../../test/support/api/use-api.ts';
import { SAMPLE_DAYS } from '../../../test/support/pipeline/sample-store.ts';
import type { Enforcement, Subscription } from '../../accounts/organizations/terms.ts';

const shared = useApi({ days: SAMPLE_DAYS, accounts: {} });
const TIGHT = { daily_quota: 1, burst_per_minute: 3 };

function openWith(enforcement: Enforcement): Promise<TestApi> {
  return openOwnApi({ store: shared.store.url, accounts: { open: { enforcement } } });
}

/** The statuses of five data requests of a new customer with a quota of 1 and a burst of 3, and the last one's headers. */
async function fiveRequests(api: TestApi, subscription: Partial<Subscription> = {}) {
  const customer = await api.accounts.add({ contract: TIGHT, ...subscription });
  const answers: Awaited<ReturnType<TestApi['get']>>[] = [];
  for (let round = 0; round < 5; round += 1) answers.push(await api.ask(customer, '/v1/models'));
  return { statuses: answers.map(({ statusCode }) => statusCode), headers: answers.at(-1)?.headers ?? {} };
}

const SERVED = [200, 200, 200, 200, 200];
const REFUSED = [200, 429, 429, 429, 429];

describe('Rollout of enforcement', () => {
  test('measure: headers tell, nothing refuses, usage is counted beyond the limit', async () => {
    const api = await openWith({ mode: 'measure', from: null });
    const { statuses, headers } = await fiveRequests(api);
    expect(statuses).toEqual(SERVED);
    expect(headers).toMatchObject({ 'x-quota-limit': '1', 'x-quota-used': '5', 'x-quota-remaining': '0' });
    expect(headers).toMatchObject({ 'x-ratelimit-limit': '3', 'x-ratelimit-remaining': '0' });
  });

  test('measure: what refuses all the same are the per-route backstop, features, the window and missing keys', async () => {
    const api = await openWith({ mode: 'measure', from: null });
    const { community } = api.accounts.customers;
    const answers = await Promise.all(Array.from({ length: 61 }, () => api.ask(community, '/v1/updates')));
    expect(answers.filter(({ statusCode }) => statusCode === 429)).toHaveLength(1);
    expect((await api.ask(community, '/v1/changes')).statusCode).toBe(403);
    const old = '/v1/rankings/history?category_id=general&from=2025-10-01';
    expect((await api.ask(community, old)).json().error.code).toBe('history_window_exceeded');
    const strangers = await times(61, async () => (await api.get('/v1/models')).statusCode);
    expect(strangers.filter((status) => status === 401)).toHaveLength(60);
    expect(strangers.filter((status) => status === 429)).toHaveLength(1);
  });

  test('enforce from a date: until it limits are measured, from its first instant they refuse', async () => {
    const api = await openWith({ mode: 'enforce', from: new Date('2026-07-01T00:00:00Z') });
    api.clock.set('2026-06-30T23:59:59.999Z');
    expect((await fiveRequests(api)).statuses).toEqual(SERVED);
    api.clock.set('2026-07-01T00:00:00Z');
    expect((await fiveRequests(api)).statuses).toEqual(REFUSED);
  });

  test('grace: an organization is spared until its own date, not longer, and no other is', async () => {
    const api = await openWith({ mode: 'enforce', from: null });
    const grace = { status: 'grace', graceUntil: new Date('2026-07-15T00:00:00Z') } as const;
    expect((await fiveRequests(api, grace)).statuses).toEqual(SERVED);
    expect((await fiveRequests(api)).statuses).toEqual(REFUSED);
    api.clock.set('2026-07-15T00:00:00Z');
    expect((await fiveRequests(api, grace)).statuses).toEqual(REFUSED);
  });
});
