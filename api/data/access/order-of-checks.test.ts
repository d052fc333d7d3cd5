import type { LightMyRequestResponse } from 'fastify';
import { describe, expect, test } from 'vitest';
import type { Customer } from '../../../test/support/accounts/subject.ts';
import { LIMIT_HEADERS, steadyError, steadyHeaders } from '../../../test/support/api/answers.ts';
import { openOwnApi, useApi } from '../../../test/support/api/use-api.ts';
import { publishFixtureDays, SAMPLE_DAYS } from '../../../test/support/pipeline/sample-store.ts';
import type { Contract } from '../../accounts/organizations/terms.ts';
import { ErrorBodySchema } from '../api-errors.ts';

const api = useApi({
  days: async (store) => {
    await publishFixtureDays(store, SAMPLE_DAYS);
    await store.prune({ changesMonths: 0, snapshots: 90, states: 7 }); // The feed begins with the newest day.
  },
  accounts: {},
  settings: { failedAttemptsMax: 1_000_000 },
});
const LATEST = '2026-06-03';
const HISTORY = '/v1/models/aurora-2/history?kind=score';
const OLD = `${HISTORY}&from=2020-01-01`;
const LONG = 'x'.repeat(2_500);

/** A Builder whose quota is used up. */
async function exhausted(contract = {}): Promise<Customer> {
  const terms = { daily_quota: 1, burst_per_minute: 10_000, ...contract };
  const customer = await api.accounts.add({ plan: 'builder', contract: terms });
  await api.ask(customer, '/v1/models');
  return customer;
}

async function statusOf(...asked: Parameters<typeof api.ask>): Promise<number> {
  return (await api.ask(...asked)).statusCode;
}

describe('Order of checks: authentication, burst, capability, backstop, feature, validation, conditional, quota', () => {
  test('burst comes before features, validation and quota', async () => {
    const customer = await exhausted({ burst_per_minute: 1, features: ['history'] });
    for (const url of ['/v1/changes', '/v1/models?limit=x', '/v1/models', '/v1/nothing', '/v1/account', '/v1/%zz']) {
      const response = await api.ask(customer, url);
      expect([url, response.json().error?.limit_type]).toEqual([url, 'burst']);
    }
  });

  test('the backstop comes before the plan’s features', async () => {
    const accounts = { open: { enforcement: { mode: 'measure', from: null } } } as const; // No burst limit refuses first.
    const measured = await openOwnApi({ store: api.store.url, accounts });
    const customer = await measured.accounts.add({ plan: 'community', contract: { burst_per_minute: 1 } });
    const statuses: number[] = [];
    for (let round = 0; round < 31; round += 1)
      statuses.push((await measured.ask(customer, '/v1/snapshots')).statusCode);
    expect(statuses).toEqual([...Array(30).fill(403), 429]);
  });

  test('the method comes before the plan’s features, these before the length of the path, and that before parameters', async () => {
    const { community, builder } = api.accounts.customers;
    for (const url of ['/v1/changes', '/v1/snapshots/none/download', '/v1/models']) {
      const response = await api.ask(community, url, { method: 'POST' });
      expect([response.statusCode, response.headers.allow]).toEqual([405, 'GET, HEAD']);
    }
    expect(await statusOf(community, '/v1/changes', { method: 'HEAD' })).toBe(403);
    expect(await statusOf(builder, '/v1/changes?limit=x', { method: 'POST' })).toBe(405);
    expect(await statusOf(community, `/v1/snapshots/${LONG}/download`)).toBe(403);
    const tooLong = await api.ask(await api.accounts.add(), `/v1/models/${LONG}/history?kind=x`);
    expect([tooLong.statusCode, tooLong.json().error.code]).toEqual([414, 'uri_too_long']);
    expect(tooLong.headers).toMatchObject({ 'x-ratelimit-remaining': '59', 'x-quota-used': '0' });
  });

  test('the plan’s features come before validation', async () => {
    const { community } = api.accounts.customers;
    for (const url of ['/v1/changes?limit=x', '/v1/snapshots/none/download', '/v1/snapshots'])
      expect((await api.ask(community, url)).json().error).toMatchObject({
        code: 'feature_not_in_plan',
        plan: 'community',
        param: null,
      });
  });

  test('parameters come before the plan’s window', async () => {
    const { community } = api.accounts.customers;
    expect((await api.ask(community, OLD)).json().error.code).toBe('history_window_exceeded');
    const response = await api.ask(community, OLD.replace('kind=score', 'kind=none'));
    expect([response.statusCode, response.json().detail]).toMatchObject([422, [{ loc: ['query', 'kind'] }]]);
  });

  test('the window, an expired cursor and an unseen snapshot come before conditional headers', async () => {
    const { builder } = api.accounts.customers;
    const urls = [OLD, '/v1/changes?cursor=MA', `/v1/snapshots/${SAMPLE_DAYS[0]}/download?dataset=models`];
    for (const headers of [{ 'if-none-match': '*' }, { 'if-modified-since': 'Fri, 01 Jan 2100 00:00:00 GMT' }]) {
      const statuses = await Promise.all(urls.map((url) => statusOf(builder, url, { headers })));
      expect(statuses).toEqual([403, 410, 404]);
    }
  });

  test('an exhausted quota still gives 304, 403, 404, 405 and 422, and the account', async () => {
    const customer = await exhausted();
    const { headers } = await api.ask(api.accounts.customers.commercial, '/v1/models');
    const fresh = await api.ask(customer, '/v1/models', { headers: { 'if-none-match': String(headers.etag) } });
    expect([fresh.statusCode, fresh.body]).toEqual([304, '']);
    const unknown = '/v1/snapshots/none/download?dataset=models';
    const statuses: unknown[] = [];
    for (const url of [OLD, '/v1/nothing', unknown, '/v1/models?limit=x', '/v1/account'])
      statuses.push(await statusOf(customer, url));
    expect(statuses).toEqual([403, 404, 404, 422, 200]);
    expect(await statusOf(customer, '/v1/models', { method: 'POST' })).toBe(405);
    expect(await statusOf(customer, '/v1/models')).toBe(429);
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
    const tags = await Promise.all([community, builder, commercial].map((customer) => etagOf(customer, HISTORY)));
    expect(new Set(tags).size).toBe(3);
    expect(await etagOf(await api.accounts.add({ plan: 'builder' }), HISTORY)).toBe(tags[1]);
    expect(await etagOf(community, '/v1/models')).toBe(await etagOf(commercial, '/v1/models'));
  });
});

test('a URL that is not properly encoded is 400, route or not, and 401 without a key', async () => {
  const { builder } = api.accounts.customers;
  for (const url of ['/v1/models/%zz', '/v1/nothing/%zz', '/v1/models?q=%zz', '/v1/nothing?q=%zz']) {
    expect((await api.ask(builder, url)).json().error.code).toBe('bad_request');
    expect((await api.ask({ ...builder, key: 'none' }, url)).json().error.code).toBe('unauthenticated');
  }
  for (const url of ['/nothing/%zz', '/docs?q=%zz']) expect((await api.get(url)).json().error.code).toBe('bad_request');
});

describe('A denied read looks like a missing one', () => {
  test('a snapshot that is not the caller’s to see is like one that never was: status, body, headers', async () => {
    const customer = await api.accounts.add({ plan: 'builder' });
    const ask = async (id: string, query: string) => {
      const response = await api.ask(customer, `/v1/snapshots/${id}/download?${query}`);
      const body = response.statusCode === 422 ? response.json() : steadyError(response);
      return { status: response.statusCode, body, headers: steadyHeaders(response) };
    };
    for (const [query, status] of [
      ['dataset=models', 404],
      ['dataset=scores&redirect=true', 404],
      ['dataset=none', 422],
      ['dataset=models&dataset=scores', 422],
    ] as const) {
      const denied = await ask('2026-06-01', query);
      expect(denied.status).toBe(status);
      expect(denied).toEqual(await ask('2026-05-31', query));
    }
    expect(await ask('2026-06-01', 'dataset=models')).toMatchObject({
      body: { code: 'not_found', param: 'snapshot_id' },
    });
    expect(await statusOf(customer, `/v1/snapshots/${LATEST}/download?dataset=models`)).toBe(200);
  });
});

interface Case {
  /** Besides `code`; what isn't named must be absent or null. */
  readonly error?: Readonly<Record<string, unknown>>;
  readonly plan?: 'community';
  /** A limit that the same request has reached. */
  readonly limit?: Contract;
  readonly method?: 'POST';
}

const RANKED = '/v1/rankings/history?category_id=general';
const OUTSIDE = { plan: 'builder', message: expect.stringContaining('2025-06-30') };
const BURST = { limit_type: 'burst', limit_scope: 'organization', reset_at: '2026-06-30T12:01:00.000Z' };
const QUOTA = { limit_type: 'daily_quota', reset_at: '2026-07-01T00:00:00.000Z' };

const CASES: readonly (readonly [status: number, code: string, url: string, given: Case])[] = [
  [403, 'feature_not_in_plan', '/v1/changes', { plan: 'community', error: { plan: 'community' } }],
  [403, 'history_window_exceeded', `${RANKED}&from=2025-06-29`, { error: { ...OUTSIDE, param: 'from' } }],
  [403, 'history_window_exceeded', `${RANKED}&to=2025-06-29`, { error: { ...OUTSIDE, param: 'to' } }],
  [404, 'not_found', '/v1/models/none', { error: { param: 'id' } }],
  [404, 'not_found', '/v1/nothing', {}],
  [400, 'bad_request', '/v1/models/%FF', {}],
  [400, 'bad_request', '/v1/models?q=%FF', {}],
  [400, 'bad_request', '/v1/changes?cursor=%FF', { plan: 'community' }],
  [405, 'method_not_allowed', '/v1/models', { method: 'POST' }],
  [410, 'cursor_expired', '/v1/changes?cursor=MA', { error: { param: 'cursor', retained_from: SAMPLE_DAYS.at(-1) } }],
  [429, 'rate_limit_exceeded', '/v1/scores', { limit: { burst_per_minute: 1 }, error: { plan: 'builder', ...BURST } }],
  [429, 'quota_exceeded', '/v1/scores', { limit: { daily_quota: 1 }, error: { plan: 'builder', ...QUOTA } }],
];

const RETRY_AFTER: Readonly<Record<string, string>> = { rate_limit_exceeded: '60', quota_exceeded: String(12 * 3600) };

/** What every error has in common. */
async function expectEnvelope(response: LightMyRequestResponse): Promise<void> {
  const { error } = ErrorBodySchema.parse(response.json());
  expect(response.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
  });
  expect(error.request_id).toBe(response.headers['x-request-id']);
  const page = new URL(error.help_url ?? '');
  expect(page.pathname).toBe(`/docs/errors/${error.code}`);
  expect((await api.get(page.pathname)).statusCode).toBe(200);
}

describe('Codes of the statistics routes', () => {
  test.each(CASES)(
    '%d %s of %s: the envelope with its fields, help that exists, and every header',
    async (...given) => {
      const [status, code, url, { error = {}, plan = 'builder', limit, method = 'GET' }] = given;
      const customer = await api.accounts.add({ plan, contract: limit ?? {} });
      if (limit !== undefined) await api.ask(customer, url);
      const response = await api.ask(customer, url, { method });
      expect(response.statusCode).toBe(status);
      await expectEnvelope(response);
      const { help_url, request_id, ...rest } = response.json().error;
      expect(rest).toEqual({ code, param: null, message: expect.any(String), ...error });
      expect(Object.keys(response.headers)).toEqual(expect.arrayContaining([...LIMIT_HEADERS]));
      if (limit === undefined) expect(response.headers['x-quota-used']).toBe('0');
      expect(response.headers['retry-after']).toBe(RETRY_AFTER[code]);
    },
  );

  test('503 before the first release: the envelope, every header, and no unit', async () => {
    const starting = await openOwnApi({ days: [], accounts: {} });
    const response = await starting.ask(starting.accounts.customers.builder, '/v1/models');
    expect([response.statusCode, response.json().error.code]).toEqual([503, 'unavailable']);
    await expectEnvelope(response);
    expect(response.headers).toMatchObject({
      'x-quota-used': '0',
      'x-ratelimit-remaining': '299',
      'x-cache': 'BYPASS',
    });
    expect((await starting.accountOf(starting.accounts.customers.builder)).usage.used).toBe(0);
  });
});
