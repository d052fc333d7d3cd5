import { expect, test } from 'vitest';
import { useApi } from '../test/support/api/use-api.ts';
import { SAMPLE_DAYS } from '../test/support/pipeline/sample-store.ts';

const api = useApi({ days: SAMPLE_DAYS.slice(0, 1), accounts: {} });

test('no answer below /v1 has a CORS header, also to a preflight', async () => {
  const headers = { origin: 'https://app.test', 'access-control-request-method': 'GET' };
  const { builder } = api.accounts.customers;
  for (const url of ['/v1/models', '/v1/account', '/v1/changes?limit=x', '/v1/nothing'])
    for (const method of ['GET', 'OPTIONS'] as const)
      for (const customer of [builder, { ...builder, key: 'none' }]) {
        const answer = await api.ask(customer, url, { method, headers });
        const told = Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'));
        expect(told, `${method} ${url}`).toEqual([]);
      }
});
