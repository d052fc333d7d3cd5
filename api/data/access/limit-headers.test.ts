import { describe, expect, onTestFinished, test } from 'vitest';
import { AppError } from '../../../runtime/errors.ts';
import { type Customer, times } from '../../../test/support/accounts/subject.ts';
import { type AskOptions, NOON } from '../../../test/support/api/open-api.ts';
import { replaceQuota } from '../../../test/support/api/test-accounts.ts';
import { openOwnApi, useApi } from '../../../test/support/api/use-api.ts';
import { SAMPLE_DAYS } from '../../../test/support/pipeline/sample-store.ts';

/** Fails on purpose where a test says so. */
const fault = { usage: false };

const api = useApi({
  days: SAMPLE_DAYS,
  accounts: {
    wrap: (accounts) =>
      replaceQuota(accounts, {
        reserve: (...given) => (fault.usage ? Promise.reject(down()) : accounts.quota.reserve(...given)),
        release: (...given) => (fault.usage ? Promise.reject(down()) : accounts.quota.release(...given)),
        usage: (...given) => (fault.usage ? Promise.reject(down()) : accounts.quota.usage(...given)),
      }),
  },
});

function down(): AppError {
  return new AppError('unavailable', 'connect ECONNREFUSED 10.0.0.7:5432');
}

const RESET = String(Date.parse('2026-07-01T00:00:00Z') / 1000);
const OLD = '/v1/models/x/history?kind=score&from=2025-06-01&to=2026-06-01';
const DOWNLOAD = `/v1/snapshots/${SAMPLE_DAYS[2]}/download?dataset=models`;

function builder(contract = {}): Promise<Customer> {
  return api.accounts.add({ plan: 'builder', contract });
}

describe('Response headers', () => {
  test.each<readonly [what: string, url: string, status: number, used: number, how: AskOptions]>([
    ['data', '/v1/models', 200, 1, {}],
    ['the account', '/v1/account', 200, 0, {}],
    ['a redirect', `${DOWNLOAD}&redirect=true`, 302, 1, {}],
    ['what did not change', '/v1/models', 304, 0, { headers: { 'if-none-match': '*' } }],
    ['a route that is not there', '/v1/nothing', 404, 0, {}],
    ['the head of data', '/v1/models', 200, 1, { method: 'HEAD' }],
    ['other methods', '/v1/account', 405, 0, { method: 'OPTIONS' }],
    ['wrong parameters', '/v1/models?limit=0', 422, 0, {}],
  ])('are on every authenticated answer and tell the state after it: %s', async (...row) => {
    const [, url, status, used, how] = row;
    const response = await api.ask(await builder(), url, how);
    expect(response.statusCode).toBe(status);
    expect(response.headers).toMatchObject({
      'x-ratelimit-limit': '300',
      'x-ratelimit-remaining': '299',
      'x-ratelimit-reset': String(Date.parse('2026-06-30T12:01:00Z') / 1000),
      'x-quota-limit': '5000',
      'x-quota-used': String(used),
      'x-quota-remaining': String(5000 - used),
      'x-quota-reset': RESET,
      'x-service-plan': 'builder',
      'cdn-cache-control': 'no-store',
      'x-request-id': expect.stringMatching(/^[0-9A-Z]{26}$/),
    });
    expect(response.headers['retry-after']).toBeUndefined();
  });

  test('beyond the burst limit 429 says when a request passes again, in the header and in the body', async () => {
    const { clock } = api;
    onTestFinished(() => clock.set(NOON));
    const customer = await builder({ burst_per_minute: 2 });
    await times(2, () => api.ask(customer, '/v1/account'));
    clock.advance(20_000);
    const refused = await api.ask(customer, '/v1/account');
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '40']);
    expect(refused.json().error.reset_at).toBe('2026-06-30T12:01:00.000Z');
    expect(refused.headers['x-ratelimit-reset']).toBe(String(Date.parse('2026-06-30T12:01:00Z') / 1000));
    clock.advance(40_000);
    expect((await api.ask(customer, '/v1/account')).statusCode).toBe(200);
  });

  test('500 gives the unit back and has them, saying nothing of what happened', async () => {
    const other = await openOwnApi({ store: api.store.url, accounts: { as: 'community' } });
    const view = other.follower.current();
    view.rows = () => {
      throw new Error('a detail that is nobody’s business');
    };
    const response = await other.get('/v1/scores');
    expect([response.statusCode, response.json().error.code]).toEqual([500, 'internal_error']);
    expect(response.body).not.toContain('business');
    expect(response.headers).toMatchObject({ 'x-quota-used': '0', 'x-ratelimit-remaining': '59' });
  });

  test('503 has what is known without the control database, no unit is given for free, and no detail gets out', async () => {
    const customer = await builder();
    await api.ask(customer, '/v1/models');
    fault.usage = true;
    const [data, missing] = [await api.ask(customer, '/v1/models'), await api.ask(customer, '/v1/models/%20/x')];
    fault.usage = false;
    expect([data.statusCode, data.json().error]).toEqual([
      503,
      expect.objectContaining({ code: 'unavailable', request_id: data.headers['x-request-id'] }),
    ]);
    expect(data.body).not.toMatch(/ECONN|10\.0\.0\.7/);
    expect(missing.statusCode).toBe(404);
    for (const { headers } of [data, missing]) {
      expect(headers).toMatchObject({
        'x-ratelimit-limit': '300',
        'x-service-plan': 'builder',
        'x-quota-limit': '5000',
      });
      expect(headers).toMatchObject({ 'x-quota-reset': RESET });
      expect([headers['x-quota-used'], headers['x-quota-remaining'], headers['retry-after']]).toEqual(
        Array(3).fill(undefined),
      );
    }
  });

  test('X-Cache is on data routes only, on every answer of theirs', async () => {
    const customer = await builder();
    const cacheOf = async (url: string) => (await api.ask(customer, url)).headers['x-cache'];
    expect([await cacheOf('/v1/scores?limit=7'), await cacheOf('/v1/scores?limit=7')]).toEqual(['MISS', 'HIT']);
    expect(await Promise.all([DOWNLOAD, OLD, '/v1/models?limit=0', '/v1/models/none'].map(cacheOf))).toEqual(
      Array(4).fill('BYPASS'),
    );
    expect(await Promise.all(['/v1/account', '/v1/nothing', '/health/live', '/openapi.json'].map(cacheOf))).toEqual(
      Array(4).fill(undefined),
    );
    for (const [url, cacheResult] of [
      ['/v1/account', undefined],
      ['/v1/models', 'BYPASS'],
    ] as const) {
      const refused = await api.ask(customer, url, { method: 'POST' });
      expect([refused.statusCode, refused.headers['x-cache']]).toEqual([405, cacheResult]);
    }
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
});
