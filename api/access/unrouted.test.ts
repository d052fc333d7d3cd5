import { describe, expect, test } from 'vitest';
import { openGuardedApi, steadyError, steadyHeaders } from '../testing/guarded-api.ts';
import { useGuardedApi } from '../testing/use-guarded-api.ts';

const subject = useGuardedApi(() => ({ settings: { failedAttemptsMax: 1_000_000 } }));
const LONG = 'x'.repeat(2_500);

describe('Requests that no route sees', () => {
  test.each([
    ['a path that is not properly encoded', '/v1/models/%zz', 400, 'bad_request'],
    ['the same where there is no route', '/v1/nothing/%zz', 400, 'bad_request'],
    ['an id beyond measure', `/v1/models/${LONG}`, 414, 'uri_too_long'],
    ['the same where there is no route', `/v1/nothing/${LONG}`, 404, 'not_found'],
  ])(
    '%s: strangers get 401; callers get the error with their headers, it counts toward the burst and costs nothing',
    async (_, url, status, code) => {
      expect((await subject.api.get(url)).statusCode).toBe(401);
      const customer = await subject.api.accounts.add({ contract: { burst_per_minute: 2 } });
      const response = await subject.api.ask(customer, url);
      expect([response.statusCode, response.json().error]).toEqual([
        status,
        expect.objectContaining({ code, request_id: response.headers['x-request-id'] }),
      ]);
      expect(response.headers).toMatchObject({
        'x-ratelimit-remaining': '1',
        'x-quota-used': '0',
        'x-service-plan': 'community',
      });
      await subject.api.ask(customer, url);
      expect((await subject.api.ask(customer, url)).json().error.limit_type).toBe('burst');
    },
  );

  test('an id beyond measure does not tell a switched-off capability from an unknown route', async () => {
    const capabilities = { snapshots: 'planned', history: 'planned' } as const;
    const api = await openGuardedApi(subject.storeFolder, { settings: { capabilities } });
    const urls = [`/v1/nothing/${LONG}/download`, `/v1/snapshots/${LONG}/download`, `/v1/models/${LONG}/history`];
    for (const customer of [api.accounts.customers.builder, { ...api.accounts.customers.builder, key: 'none' }]) {
      const told = await Promise.all(
        urls.map(async (url) => {
          const response = await api.ask(customer, url);
          return { status: response.statusCode, error: steadyError(response), headers: steadyHeaders(response) };
        }),
      );
      expect(told).toEqual(urls.map(() => told[0]));
    }
    await api.close();
  });

  test('outside of /v1 nobody is asked for a key', async () => {
    expect((await subject.api.get('/docs/errors/%zz')).statusCode).toBe(400);
    expect((await subject.api.get('/nothing/%zz')).headers['x-quota-used']).toBeUndefined();
  });
});
