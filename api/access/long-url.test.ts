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

  test('a path that is not properly encoded is 400 for everybody, route or not: it is read by nobody', async () => {
    const { builder } = api.accounts.customers;
    for (const url of ['/v1/models/%zz', '/v1/nothing/%zz'])
      for (const customer of [builder, { ...builder, key: 'none' }])
        expect((await api.ask(customer, url)).json().error.code).toBe('bad_request');
  });
});
