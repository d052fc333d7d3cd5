import { describe, expect, test } from 'vitest';
import { steadyError, steadyHeaders } from '../../test/support/api/answers.ts';
import { openApi } from '../../test/support/api/open-api.ts';
import { useApi } from '../../test/support/api/use-api.ts';
import { SAMPLE_DAYS } from '../../test/support/pipeline/sample-store.ts';

const api = useApi({ days: SAMPLE_DAYS, accounts: {}, settings: { failedAttemptsMax: 1_000_000 } });
const LONG = 'x'.repeat(2_500);

describe('URLs beyond measure', () => {
  test('an id that is too long is 414 with the limit headers for callers, 401 for strangers', async () => {
    const url = `/v1/models/${LONG}`;
    expect((await api.get(url)).statusCode).toBe(401);
    const response = await api.ask(await api.accounts.add(), url);
    expect([response.statusCode, response.json().error.code]).toEqual([414, 'uri_too_long']);
    expect(response.headers).toMatchObject({ 'x-ratelimit-remaining': '59', 'x-quota-used': '0' });
  });

  test('an id beyond measure does not tell a switched-off capability from an unknown route', async () => {
    const capabilities = { snapshots: 'planned', history: 'planned' } as const;
    const other = await openApi({ store: api.store.url, accounts: {}, settings: { capabilities } });
    const urls = [`/v1/nothing/${LONG}/download`, `/v1/snapshots/${LONG}/download`, `/v1/models/${LONG}/history`];
    for (const customer of [other.accounts.customers.builder, { ...api.accounts.customers.builder, key: 'none' }]) {
      const told = await Promise.all(
        urls.map(async (url) => {
          const response = await other.ask(customer, url);
          return { status: response.statusCode, error: steadyError(response), headers: steadyHeaders(response) };
        }),
      );
      expect(told).toEqual(urls.map(() => told[0]));
    }
    await other.close();
  });

  test('a URL that is not properly encoded is 400, route or not, and 401 without a key', async () => {
    const { builder } = api.accounts.customers;
    for (const url of ['/v1/models/%zz', '/v1/nothing/%zz', '/v1/models?q=%zz', '/v1/nothing?q=%zz']) {
      expect((await api.ask(builder, url)).json().error.code).toBe('bad_request');
      expect((await api.ask({ ...builder, key: 'none' }, url)).json().error.code).toBe('unauthenticated');
    }
    for (const url of ['/nothing/%zz', '/docs?q=%zz'])
      expect((await api.get(url)).json().error.code).toBe('bad_request');
  });

  test('one that is not properly encoded counts as a request, and is refused like any beyond the limit', async () => {
    const customer = await api.accounts.add({ plan: 'builder', contract: { burst_per_minute: 2 } });
    const codes: string[] = [];
    for (const url of ['/v1/models/%zz', '/v1/models?q=%zz', '/v1/models/%zz', '/v1/models?q=%zz'])
      codes.push((await api.ask(customer, url)).json().error.code);
    expect(codes).toEqual(['bad_request', 'bad_request', 'rate_limit_exceeded', 'rate_limit_exceeded']);
  });
});
