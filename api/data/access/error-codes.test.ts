import type { LightMyRequestResponse } from 'fastify';
import { describe, expect, test } from 'vitest';
import { LIMIT_HEADERS } from '../../../test/support/api/answers.ts';
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
});

interface Case {
  readonly code: string;
  readonly status: number;
  readonly url: string;
  /** Besides `code`; what isn't named must be absent or null. */
  readonly error?: Readonly<Record<string, unknown>>;
  readonly plan?: 'community' | 'builder';
  readonly contract?: Contract;
  readonly method?: 'POST';
  /** Data requests before. */
  readonly before?: number;
}

const HISTORY = '/v1/rankings/history?category_id=general';
const LIMITED = { plan: 'builder', reset_at: expect.any(String) };

const CASES: readonly Case[] = [
  { code: 'feature_not_in_plan', status: 403, url: '/v1/changes', plan: 'community', error: { plan: 'community' } },
  {
    code: 'history_window_exceeded',
    status: 403,
    url: `${HISTORY}&from=2025-06-29`,
    error: { plan: 'builder', param: 'from', message: expect.stringContaining('2025-06-30') },
  },
  {
    code: 'history_window_exceeded',
    status: 403,
    url: `${HISTORY}&to=2025-06-29`,
    error: { plan: 'builder', param: 'to', message: expect.stringContaining('2025-06-30') },
  },
  { code: 'not_found', status: 404, url: '/v1/models/none', error: { param: 'id' } },
  { code: 'not_found', status: 404, url: '/v1/nothing' },
  { code: 'bad_request', status: 400, url: '/v1/models/%FF' },
  { code: 'bad_request', status: 400, url: '/v1/models?q=%FF' },
  { code: 'bad_request', status: 400, url: '/v1/changes?cursor=%FF', plan: 'community' },
  { code: 'method_not_allowed', status: 405, url: '/v1/models', method: 'POST' },
  {
    code: 'cursor_expired',
    status: 410,
    url: '/v1/changes?cursor=MA',
    error: { param: 'cursor', retained_from: SAMPLE_DAYS.at(-1) },
  },
  {
    code: 'rate_limit_exceeded',
    status: 429,
    url: '/v1/scores',
    contract: { burst_per_minute: 1 },
    before: 1,
    error: { ...LIMITED, limit_type: 'burst', limit_scope: 'organization' },
  },
  {
    code: 'quota_exceeded',
    status: 429,
    url: '/v1/scores',
    contract: { daily_quota: 1 },
    before: 1,
    error: { ...LIMITED, limit_type: 'daily_quota', reset_at: '2026-07-01T00:00:00.000Z' },
  },
];

async function provoke({ url, plan = 'builder', contract = {}, method, before = 0 }: Case) {
  const customer = await api.accounts.add({ plan, contract });
  for (let round = 0; round < before; round += 1) await api.ask(customer, url);
  return api.ask(customer, url, method === undefined ? {} : { method });
}

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
    '$status $code of $url: the envelope with its fields, help that exists, and every header',
    async (given) => {
      const response = await provoke(given);
      expect(response.statusCode).toBe(given.status);
      await expectEnvelope(response);
      const { message, help_url, request_id, ...rest } = response.json().error;
      expect({ ...rest, message }).toEqual({
        code: given.code,
        param: null,
        message: expect.any(String),
        ...given.error,
      });
      expect(Object.keys(response.headers)).toEqual(expect.arrayContaining([...LIMIT_HEADERS]));
      if (given.before === undefined) expect(response.headers['x-quota-used']).toBe('0');
      expect(response.headers['retry-after'] !== undefined).toBe(given.status === 429);
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
