import { describe, expect, test } from 'vitest';
import type { Customer } from '../../test/support/accounts/subject.ts';
import { replaceQuota } from '../../test/support/api/test-accounts.ts';
import { useApi } from '../../test/support/api/use-api.ts';
import { MODEL, SAMPLE_DAYS } from '../../test/support/pipeline/sample-store.ts';

/** Called between a reservation and its answer. */
const between = { run: () => {} };

const api = useApi({
  days: SAMPLE_DAYS,
  accounts: {
    wrap: (accounts) =>
      replaceQuota(accounts, {
        reserve: async (...given) => {
          const result = await accounts.quota.reserve(...given);
          between.run();
          return result;
        },
      }),
  },
});

function withQuota(daily_quota: number): Promise<Customer> {
  return api.accounts.add({ plan: 'builder', contract: { daily_quota } });
}

async function windowOf(plan: 'community' | 'builder', today: string, query = '') {
  api.clock.set(`${today}T12:00:00Z`);
  const customer = await api.accounts.add({ plan });
  return api.ask(customer, `/v1/models/${MODEL}/history?kind=pricing${query}`);
}

describe('Midnight UTC (specification "Daily quota")', () => {
  test('the quota is new at 00:00:00 UTC, not a millisecond earlier', async () => {
    const { clock } = api;
    const customer = await withQuota(1);
    clock.set('2026-06-30T00:00:00Z');
    await api.ask(customer, '/v1/models');
    clock.set('2026-06-30T23:59:59.999Z');
    const refused = await api.ask(customer, '/v1/models');
    expect([refused.statusCode, refused.headers['retry-after'], refused.json().error.reset_at]).toEqual([
      429,
      '1',
      '2026-07-01T00:00:00.000Z',
    ]);
    clock.set('2026-07-01T00:00:00Z');
    const served = await api.ask(customer, '/v1/models');
    expect([served.statusCode, served.headers['x-quota-used']]).toEqual([200, '1']);
    expect(served.headers['x-quota-reset']).toBe(String(Date.parse('2026-07-02T00:00:00Z') / 1000));
    expect(await api.accountOf(customer)).toMatchObject({ usage: { quota_day: '2026-07-01', used: 1 } });
  });

  test('a request that straddles midnight belongs to the day on which it was taken', async () => {
    const { clock } = api;
    const customer = await withQuota(5);
    clock.set('2026-06-30T23:59:59.999Z');
    between.run = () => clock.set('2026-07-01T00:00:00Z');
    const straddling = await api.ask(customer, '/v1/models');
    between.run = () => {};
    expect(straddling.headers).toMatchObject({
      'x-quota-used': '1',
      'x-quota-reset': String(Date.parse('2026-07-01T00:00:00Z') / 1000),
    });
    expect(await api.accountOf(customer)).toMatchObject({ usage: { quota_day: '2026-07-01', used: 0 } });
  });

  test('a unit that is given back after midnight goes back to its own day', async () => {
    const { clock } = api;
    const customer = await withQuota(5);
    clock.set('2026-07-01T00:00:00Z');
    await api.ask(customer, '/v1/models');
    clock.set('2026-06-30T23:59:59.999Z');
    between.run = () => clock.set('2026-07-01T00:00:00Z');
    const failed = await api.ask(customer, '/v1/models/none');
    between.run = () => {};
    expect([failed.statusCode, failed.headers['x-quota-used']]).toEqual([404, '0']);
    expect(await api.accountOf(customer)).toMatchObject({ usage: { quota_day: '2026-07-01', used: 1 } });
  });
});

describe('History window: plan_limit_from', () => {
  test.each([
    ['2026-06-30', '2025-12-30', '2025-06-30'],
    ['2026-07-01', '2026-01-01', '2025-07-01'],
    ['2026-07-31', '2026-01-31', '2025-07-31'],
    ['2026-08-28', '2026-02-28', '2025-08-28'],
    ['2026-08-29', '2026-02-28', '2025-08-29'],
    ['2026-08-30', '2026-02-28', '2025-08-30'],
    ['2026-08-31', '2026-02-28', '2025-08-31'],
    ['2026-09-01', '2026-03-01', '2025-09-01'],
    ['2026-10-31', '2026-04-30', '2025-10-31'],
    ['2026-12-31', '2026-06-30', '2025-12-31'],
    ['2027-05-31', '2026-11-30', '2026-05-31'],
    ['2028-02-29', '2027-08-29', '2027-02-28'],
    ['2028-08-29', '2028-02-29', '2027-08-29'],
    ['2028-08-31', '2028-02-29', '2027-08-31'],
    ['2029-02-28', '2028-08-28', '2028-02-28'],
  ])('on %s it is %s with 6 months and %s with 12', async (today, six, twelve) => {
    const [community, builder] = [await windowOf('community', today), await windowOf('builder', today)];
    expect([community, builder].map((response) => response.json().window.plan_limit_from)).toEqual([six, twelve]);
    expect([community, builder].map((response) => response.json().window.from)).toEqual([six, twelve]);
  });

  test('from on the limit is served, a day before it is 403 history_window_exceeded with the earliest allowed date', async () => {
    expect((await windowOf('community', '2026-08-31', '&from=2026-02-28')).statusCode).toBe(200);
    const refused = await windowOf('community', '2026-08-31', '&from=2026-02-27');
    expect(refused.statusCode).toBe(403);
    expect(refused.json().error).toEqual({
      code: 'history_window_exceeded',
      param: 'from',
      plan: 'community',
      message: expect.stringContaining('2026-02-28'),
      request_id: refused.headers['x-request-id'],
      help_url: expect.stringMatching(/history_window_exceeded$/),
    });
  });

  test('without from, a to before the limit is 403 too, naming to', async () => {
    expect((await windowOf('builder', '2028-02-29', '&to=2027-02-28')).statusCode).toBe(200);
    const refused = await windowOf('builder', '2028-02-29', '&to=2027-02-27');
    expect(refused.json().error).toMatchObject({ code: 'history_window_exceeded', param: 'to', plan: 'builder' });
    expect(refused.json().error.message).toContain('2027-02-28');
  });

  test('an upgrade widens the window from the next request on', async () => {
    const customer = await api.accounts.add();
    api.clock.set('2026-08-31T12:00:00Z');
    const url = `/v1/models/${MODEL}/history?kind=pricing&from=2025-09-01`;
    expect((await api.ask(customer, url)).statusCode).toBe(403);
    const { administration } = api.accounts.accounts;
    await administration.changePlan(customer.organizationId, (before) => ({ ...before, plan: 'builder' }));
    expect((await api.ask(customer, url)).statusCode).toBe(200);
  });
});
