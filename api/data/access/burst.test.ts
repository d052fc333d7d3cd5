import { describe, expect, test } from 'vitest';
import { type Customer, times } from '../../../test/support/accounts/subject.ts';
import { useApi } from '../../../test/support/api/use-api.ts';
import { MODEL, SAMPLE_DAYS } from '../../../test/support/pipeline/sample-store.ts';
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

  test('the window rolls over 60 seconds, and refused requests keep it full', async () => {
    const { clock } = api;
    const customer = await withBurst(2);
    const status = async () => (await api.ask(customer, '/v1/account')).statusCode;
    expect([await status(), await status(), await status()]).toEqual([200, 200, 429]);
    clock.advance(59_000);
    expect(await status()).toBe(429);
    clock.advance(1_000);
    // The first three have left the window; the refused one of a second ago is still in it.
    expect([await status(), await status()]).toEqual([200, 429]);
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

describe('Burst rules while the organization limit is only measured', () => {
  const measured = useApi({
    days: SAMPLE_DAYS,
    accounts: { open: { enforcement: { mode: 'measure', from: null } } },
  });

  test.each(V1_ROUTES.map(({ name, limitPerMinute }) => [name, limitPerMinute] as const))(
    'the backstop of %s is %i a minute, per key and route',
    async (route, limit) => {
      const customer = await measured.accounts.add({ plan: 'commercial', contract: { burst_per_minute: 1 } });
      const second = await createKey(
        { organizationId: customer.organizationId, name: 'second' },
        measured.accounts.accounts.as(SYSTEM),
      );
      const url = route.replace(/\{(id|model_id)\}/, MODEL).replace('{snapshot_id}', '2026-06-03');
      const answers = await times(limit + 1, () => measured.ask(customer, url));
      const refused = answers.filter(({ statusCode }) => statusCode === 429);
      expect(refused).toHaveLength(1);
      expect(refused[0]?.json().error).toMatchObject({
        code: 'rate_limit_exceeded',
        limit_type: 'burst',
        limit_scope: 'route',
        plan: 'commercial',
      });
      expect(Number(refused[0]?.headers['retry-after'])).toBeGreaterThan(0);
      expect(refused[0]?.headers['x-ratelimit-limit']).toBe('1');
      expect((await measured.ask({ ...customer, key: second.key }, url)).statusCode).not.toBe(429);
      const elsewhere = route === '/v1/updates' ? '/v1/scores' : '/v1/updates';
      expect((await measured.ask(customer, elsewhere)).statusCode).toBe(200);
    },
  );
});
