import { describe, expect, test } from 'vitest';
import type { Customer } from '../../test/support/accounts/subject.ts';
import { steadyError, steadyHeaders } from '../../test/support/api/answers.ts';
import { useApi } from '../../test/support/api/use-api.ts';
import { SAMPLE_DAYS } from '../../test/support/pipeline/sample-store.ts';

const api = useApi({ days: SAMPLE_DAYS, accounts: {}, settings: { failedAttemptsMax: 1_000_000 } });
const LATEST = '2026-06-03';
const OLD = '/v1/models/x/history?kind=score&from=2025-01-01&to=2026-01-01';

/** A Builder whose quota is used up. */
async function exhausted(contract = {}): Promise<Customer> {
  const terms = { daily_quota: 1, burst_per_minute: 10_000, ...contract };
  const customer = await api.accounts.add({ plan: 'builder', contract: terms });
  await api.ask(customer, '/v1/models');
  return customer;
}

describe('Order of checks: authentication, burst, capability, backstop, feature, validation, conditional, quota', () => {
  test('authentication comes before everything: no route, method, header or parameter says anything to a stranger', async () => {
    const urls = ['/v1/nothing', '/v1/changes', '/v1/models?limit=x', OLD, '/v1/account'];
    for (const url of urls) {
      const headers = { 'idempotency-key': 'x'.repeat(200), 'if-none-match': '*' };
      expect([url, (await api.get(url, headers)).statusCode]).toEqual([url, 401]);
    }
  });

  test('burst comes before features, validation and quota', async () => {
    const customer = await exhausted({ burst_per_minute: 1, features: ['history'] });
    for (const url of ['/v1/changes', '/v1/models?limit=x', '/v1/models', '/v1/nothing', '/v1/account']) {
      const response = await api.ask(customer, url);
      expect([url, response.json().error?.limit_type]).toEqual([url, 'burst']);
    }
  });

  test('the plan’s features come before validation', async () => {
    const { community } = api.accounts.customers;
    for (const url of ['/v1/changes?limit=x', '/v1/snapshots/none/download', '/v1/snapshots'])
      expect((await api.ask(community, url)).json().error).toMatchObject({
        code: 'feature_not_in_plan',
        plan: 'community',
        param: null,
        help_url: expect.stringMatching(/\/docs\/errors\/feature_not_in_plan$/),
      });
  });

  test('a method that a path does not have is told before the plan’s features, with those that it has', async () => {
    const { community } = api.accounts.customers;
    for (const url of ['/v1/changes', '/v1/snapshots/none/download', '/v1/models']) {
      const response = await api.ask(community, url, { method: 'POST' });
      expect([response.statusCode, response.headers.allow]).toEqual([405, 'GET, HEAD']);
    }
    expect((await api.ask(community, '/v1/changes', { method: 'HEAD' })).statusCode).toBe(403);
  });

  test('an exhausted quota still gives 304, 403, 404, 405 and 422, and the account', async () => {
    const customer = await exhausted();
    const { headers } = await api.ask(api.accounts.customers.commercial, '/v1/models');
    const fresh = await api.ask(customer, '/v1/models', { headers: { 'if-none-match': String(headers.etag) } });
    expect([fresh.statusCode, fresh.body]).toEqual([304, '']);
    const statuses: unknown[] = [];
    for (const url of [
      OLD,
      '/v1/models/x/history?kind=score&from=2020-01-01',
      '/v1/nothing',
      '/v1/snapshots/none/download?dataset=models',
      '/v1/models?limit=x',
      '/v1/account',
    ])
      statuses.push((await api.ask(customer, url)).statusCode);
    expect(statuses).toEqual([403, 403, 404, 404, 422, 200]);
    expect((await api.ask(customer, '/v1/models', { method: 'POST' })).statusCode).toBe(405);
    expect((await api.ask(customer, '/v1/models')).statusCode).toBe(429);
  });

  test('an exhausted quota asks no query: what only a query could tell is 429, whether it exists or not', async () => {
    const customer = await exhausted();
    const [known, unknown] = [
      await api.ask(customer, '/v1/models/aurora-2'),
      await api.ask(customer, '/v1/models/none'),
    ];
    expect([known.statusCode, steadyError(known)]).toEqual([429, steadyError(unknown)]);
  });

  test('two keys with the same rights share an ETag, two with other windows do not', async () => {
    const { community, builder, commercial } = api.accounts.customers;
    const etagOf = async (customer: Customer, url: string) => (await api.ask(customer, url)).headers.etag;
    const history = '/v1/models/aurora-2/history?kind=pricing';
    const tags = await Promise.all([community, builder, commercial].map((customer) => etagOf(customer, history)));
    expect(new Set(tags).size).toBe(3);
    expect(await etagOf(await api.accounts.add({ plan: 'builder' }), history)).toBe(tags[1]);
    expect(await etagOf(community, '/v1/models')).toBe(await etagOf(commercial, '/v1/models'));
  });
});

describe('A denied read looks like a missing one', () => {
  test('a snapshot that is not the caller’s to see is like one that never was: status, body, headers', async () => {
    const customer = await api.accounts.add({ plan: 'builder' });
    const ask = (id: string, query: string) => api.ask(customer, `/v1/snapshots/${id}/download?${query}`);
    for (const query of [
      'dataset=models',
      'dataset=scores&redirect=true',
      'dataset=none',
      'dataset=models&dataset=scores',
    ]) {
      const [denied, missing] = [await ask('2026-06-01', query), await ask('2026-05-31', query)];
      expect(denied.statusCode).toBe(query.includes('none') || query.includes('&dataset') ? 422 : 404);
      expect(bodyOf(denied)).toEqual(bodyOf(missing));
      expect(steadyHeaders(denied)).toEqual(steadyHeaders(missing));
    }
    expect((await ask(LATEST, 'dataset=models')).statusCode).toBe(200);
    expect((await ask('2026-06-01', 'dataset=models')).json().error).toMatchObject({
      code: 'not_found',
      param: 'snapshot_id',
    });
  });

  function bodyOf(response: Awaited<ReturnType<typeof api.get>>): unknown {
    return response.statusCode === 422 ? response.json() : steadyError(response);
  }
});
