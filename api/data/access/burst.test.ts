import { describe, expect, test } from 'vitest';
import { type Customer, times } from '../../../test/support/accounts/subject.ts';
import { useApi } from '../../../test/support/api/use-api.ts';
import { SAMPLE_DAYS } from '../../../test/support/pipeline/sample-store.ts';
import { SYSTEM } from '../../accounts/actor.ts';
import { createKey } from '../../accounts/organizations/keys.ts';
import { V1_ROUTES } from '../routes/data-routes.ts';

const api = useApi({ days: SAMPLE_DAYS, accounts: {} });

function withBurst(burst_per_minute: number): Promise<Customer> {
  return api.accounts.add({ plan: 'builder', contract: { daily_quota: 3, burst_per_minute } });
}

describe('Burst rules', () => {
  test('304, 405 and refusals of quota and burst count too', async () => {
    const customer = await withBurst(8);
    const { headers } = await api.ask(customer, '/v1/models');
    const again = await api.ask(customer, '/v1/models', { headers: { 'if-none-match': String(headers.etag) } });
    const post = await api.ask(customer, '/v1/models', { method: 'POST' });
    const head = await api.ask(customer, '/v1/models', { method: 'HEAD' });
    await times(3, () => api.ask(customer, '/v1/scores'));
    const quota = await api.ask(customer, '/v1/scores');
    const told = [again, post, head, quota].map(({ statusCode, headers: h }) => [
      statusCode,
      h['x-ratelimit-remaining'],
    ]);
    expect(told).toEqual([
      [304, '6'],
      [405, '5'],
      [200, '4'],
      [429, '0'],
    ]);
    expect(quota.json().error.limit_type).toBe('daily_quota');
    expect((await api.ask(customer, '/v1/models')).json().error.limit_type).toBe('burst');
  });

  test('beyond the limit 429 rate_limit_exceeded with Retry-After, which is enough to wait', async () => {
    const { clock } = api;
    const customer = await withBurst(2);
    await times(2, () => api.ask(customer, '/v1/account'));
    clock.advance(20_000);
    const response = await api.ask(customer, '/v1/models');
    expect(response.statusCode).toBe(429);
    const wait = Number(response.headers['retry-after']);
    expect(response.headers).toMatchObject({ 'x-ratelimit-limit': '2', 'x-ratelimit-remaining': '0' });
    expect(Number(response.headers['x-ratelimit-reset'])).toBe(Math.floor(clock.now().getTime() / 1000) + wait);
    expect(response.json().error).toEqual({
      code: 'rate_limit_exceeded',
      message: expect.any(String),
      param: null,
      limit_type: 'burst',
      limit_scope: 'organization',
      plan: 'builder',
      reset_at: new Date(Number(response.headers['x-ratelimit-reset']) * 1000).toISOString(),
      request_id: response.headers['x-request-id'],
      help_url: expect.stringMatching(/\/docs\/errors\/rate_limit_exceeded$/),
    });
    clock.advance(wait * 1000);
    expect((await api.ask(customer, '/v1/models')).statusCode).toBe(200);
  });
});

describe('Burst rules while limits are only measured', () => {
  const measured = useApi({ days: SAMPLE_DAYS, accounts: { open: { enforcement: { mode: 'measure', from: null } } } });

  test('headers tell, nothing refuses, usage is counted beyond the limit', async () => {
    const customer = await measured.accounts.add({ contract: { daily_quota: 1, burst_per_minute: 3 } });
    const answers = await times(4, () => measured.ask(customer, '/v1/models'));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array(4).fill(200));
    const last = await measured.ask(customer, '/v1/models');
    expect(last.statusCode).toBe(200);
    expect(last.headers).toMatchObject({ 'x-quota-limit': '1', 'x-quota-used': '5', 'x-quota-remaining': '0' });
    expect(last.headers).toMatchObject({ 'x-ratelimit-limit': '3', 'x-ratelimit-remaining': '0' });
  });

  test('what refuses all the same are features, the window and missing keys', async () => {
    const { community } = measured.accounts.customers;
    expect((await measured.ask(community, '/v1/changes')).statusCode).toBe(403);
    const old = '/v1/rankings/history?category_id=general&from=2025-10-01';
    expect((await measured.ask(community, old)).json().error.code).toBe('history_window_exceeded');
    const strangers = await times(61, async () => (await measured.get('/v1/models')).statusCode);
    expect(strangers.toSorted()).toEqual([...Array(60).fill(401), 429]);
  });

  test.each(V1_ROUTES.filter(({ name }) => ['/v1/updates', '/v1/sources', '/v1/account'].includes(name)))(
    'the backstop of $name is $limitPerMinute a minute, per key and route',
    async ({ name: url, limitPerMinute }) => {
      const customer = await measured.accounts.add({ plan: 'commercial', contract: { burst_per_minute: 1 } });
      const { organizationId } = customer;
      const second = await createKey({ organizationId, name: 'second' }, measured.accounts.accounts.as(SYSTEM));
      const answers = await times(limitPerMinute + 1, () => measured.ask(customer, url));
      const [refused, ...others] = answers.filter(({ statusCode }) => statusCode === 429);
      expect(others).toEqual([]);
      const error = { code: 'rate_limit_exceeded', limit_type: 'burst', limit_scope: 'route', plan: 'commercial' };
      expect(refused?.json().error).toMatchObject(error);
      expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(0);
      expect(refused?.headers['x-ratelimit-limit']).toBe('1');
      expect((await measured.ask({ ...customer, key: second.key }, url)).statusCode).toBe(200);
      const elsewhere = url === '/v1/updates' ? '/v1/snapshots' : '/v1/updates';
      expect((await measured.ask(customer, elsewhere)).statusCode).toBe(200);
    },
  );
});
