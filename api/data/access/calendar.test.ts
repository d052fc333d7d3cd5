import { describe, expect, test } from 'vitest';
import type { Customer } from '../../../test/support/accounts/subject.ts';
import { replaceQuota } from '../../../test/support/api/test-accounts.ts';
import { useApi } from '../../../test/support/api/use-api.ts';
import { SAMPLE_DAYS } from '../../../test/support/pipeline/sample-store.ts';

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
