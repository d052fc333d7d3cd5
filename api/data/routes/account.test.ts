import { describe, expect, test } from 'vitest';
import { times } from '../../../test/support/accounts/subject.ts';
import { namesAmong } from '../../../test/support/api/answers.ts';
import { useApi } from '../../../test/support/api/use-api.ts';
import { SAMPLE_DAYS } from '../../../test/support/pipeline/sample-store.ts';
import { AccountSchema } from '../../accounts/caller.ts';

const api = useApi({ days: SAMPLE_DAYS, accounts: {} });

describe('GET /v1/account', () => {
  test('is the account object of the specification, field by field', async () => {
    const customer = await api.accounts.add({ plan: 'builder', periodEnd: new Date('2026-07-14T00:00:00Z') });
    await times(3, () => api.ask(customer, '/v1/models'));
    const response = await api.ask(customer, '/v1/account');
    expect(response.statusCode).toBe(200);
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(AccountSchema.safeParse(response.json()).success).toBe(true);
    expect(response.json()).toEqual({
      plan: {
        plan: 'builder',
        plan_version: 1,
        display_name: 'Builder',
        status: 'active',
        daily_quota: 5000,
        burst_per_minute: 300,
        history_months: 12,
        features: ['history', 'snapshots', 'incremental'],
        attribution_required: false,
        redistribution_allowed: false,
        period_end: '2026-07-14T00:00:00Z',
      },
      usage: {
        quota_day: '2026-06-30',
        used: 3,
        limit: 5000,
        remaining: 4997,
        reset_at: Date.parse('2026-07-01T00:00:00Z') / 1000,
        burst_limit: 300,
      },
      client_source: 'api_key',
    });
  });

  test('an unlimited quota is null in each of its fields, and Community’s period ends with the UTC month', async () => {
    const { community, commercial } = api.accounts.customers;
    const unlimited = await api.accountOf(commercial);
    expect([unlimited.plan.daily_quota, unlimited.usage.limit, unlimited.usage.remaining]).toEqual([null, null, null]);
    expect((await api.accountOf(community)).plan.period_end).toBe('2026-07-01T00:00:00Z');
  });

  test('is never cached: no-store, no ETag, and no condition makes it a 304', async () => {
    const customer = await api.accounts.add();
    const response = await api.ask(customer, '/v1/account');
    expect(response.headers['cache-control']).toBe('no-store');
    expect(namesAmong(['etag', 'last-modified', 'x-cache', 'x-data-as-of'], response)).toEqual([]);
    await api.ask(customer, '/v1/models');
    const conditions = { 'if-none-match': '*', 'if-modified-since': 'Fri, 01 Jan 2100 00:00:00 GMT' };
    const again = await api.ask(customer, '/v1/account', { headers: conditions });
    expect([again.statusCode, again.json().usage.used]).toEqual([200, 1]);
  });

  test('a plan that ends within the day is over at once, for a key in use as well', async () => {
    const periodEnd = new Date(api.clock.now().getTime() + 1_000);
    const customer = await api.accounts.add({ plan: 'builder', status: 'canceled', periodEnd });
    expect(await api.accountOf(customer)).toMatchObject({ plan: { plan: 'builder', status: 'canceled' } });
    api.clock.advance(1_000);
    expect(await api.accountOf(customer)).toMatchObject({ plan: { plan: 'community' }, usage: { limit: 500 } });
  });
});
