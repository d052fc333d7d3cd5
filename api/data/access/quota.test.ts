import { describe, expect, test } from 'vitest';
import type { Customer } from '../../../test/support/accounts/subject.ts';
import { useApi } from '../../../test/support/api/use-api.ts';
import { addVerified } from '../../../test/support/integrations/integration-rows.ts';
import { MODEL, SAMPLE_DAYS } from '../../../test/support/pipeline/sample-store.ts';
import { SYSTEM } from '../../accounts/actor.ts';
import { changePlan } from '../../accounts/organizations/organizations.ts';
import { openDatabase } from '../../database/open-database.ts';

const api = useApi({ days: SAMPLE_DAYS, accounts: {} });
const LATEST = SAMPLE_DAYS[2];
const DOWNLOAD = `/v1/snapshots/${LATEST}/download?dataset=models`;

/** The statuses of requests, one after the other. */
async function statusesOf(customer: Customer, urls: readonly string[]): Promise<number[]> {
  const statuses: number[] = [];
  for (const url of urls) statuses.push((await api.ask(customer, url)).statusCode);
  return statuses;
}

async function usedBy(customer: Customer): Promise<number> {
  return (await api.accountOf(customer)).usage.used;
}

function withQuota(daily_quota: number | null, plan: 'community' | 'builder' | 'commercial' = 'commercial') {
  return api.accounts.add({ plan, contract: { daily_quota, burst_per_minute: 10_000 } });
}

async function verifyIntegrations(organizationId: string, count: number): Promise<void> {
  const database = await openDatabase(api.accounts.url);
  for (let index = 0; index < count; index += 1)
    await addVerified(database, { organizationId, id: `${organizationId}-${index}` });
  await database.close();
}

describe('Daily quota rules', () => {
  test.each([
    '/v1/models',
    '/v1/models?limit=1',
    '/v1/models?limit=200&q=nothing-of-this-name',
    `/v1/models/${MODEL}`,
    '/v1/benchmarks',
    '/v1/scores?limit=500',
    '/v1/rankings?category=general',
    '/v1/updates',
    '/v1/categories',
    `/v1/models/${MODEL}/history?kind=pricing`,
    '/v1/rankings/history?category_id=general',
    '/v1/snapshots',
    DOWNLOAD,
    '/v1/changes',
    '/v1/changes?limit=1',
  ])('a 200 of %s is one unit, fresh or from the cache, whatever its size', async (url) => {
    const customer = await withQuota(null);
    const [first, second] = [await api.ask(customer, url), await api.ask(customer, url)];
    expect([first.statusCode, first.headers['x-quota-used'], first.headers['x-quota-limit']]).toEqual([
      200,
      '1',
      'unlimited',
    ]);
    expect([second.statusCode, second.headers['x-quota-used']]).toEqual([200, '2']);
    expect([first, second].map(({ headers }) => String(headers['x-cache']))).toEqual([
      expect.stringMatching(/^(MISS|BYPASS|HIT)$/),
      expect.stringMatching(/^(HIT|BYPASS)$/),
    ]);
  });

  test('a 304 never counts, for the tag as for the date', async () => {
    const customer = await withQuota(2);
    for (const url of ['/v1/models', '/v1/changes']) {
      const { headers } = await api.ask(customer, url);
      const before = await usedBy(customer);
      for (const condition of [
        { 'if-none-match': String(headers.etag) },
        { 'if-none-match': `"other", W/${String(headers.etag)}` },
        { 'if-none-match': '*' },
        { 'if-modified-since': String(headers['last-modified']) },
      ]) {
        const response = await api.ask(customer, url, { headers: condition });
        expect([response.statusCode, response.headers['x-quota-used']]).toEqual([304, `${before}`]);
      }
    }
  });

  test('a condition that names no answer holds a unit while it is looked up, and gives it back', async () => {
    const customer = await withQuota(1);
    const ask = (url: string) => api.ask(customer, url, { headers: { 'if-none-match': '*' } });
    const unknown = (day: string) => `/v1/models/${MODEL}/history?kind=score&from=${day}&to=${day}`;
    const found = await ask(unknown('2026-06-01'));
    expect([found.statusCode, found.headers['x-quota-used']]).toEqual([304, '0']);
    await api.ask(customer, '/v1/models');
    expect((await ask('/v1/models?limit=3')).statusCode).toBe(304);
    const refused = await ask(unknown('2026-06-02'));
    expect([refused.statusCode, refused.json().error.code]).toEqual([429, 'quota_exceeded']);
  });

  test('a 302 of a download counts as one unit, and fetching the file as none', async () => {
    const customer = await withQuota(null);
    const redirect = await api.ask(customer, `${DOWNLOAD}&redirect=true`);
    expect([redirect.statusCode, redirect.headers['x-quota-used']]).toEqual([302, '1']);
    const { pathname, search } = new URL(String(redirect.headers.location));
    expect((await api.get(pathname + search)).statusCode).toBe(200);
    expect(await usedBy(customer)).toBe(1);
  });

  test('an upgrade lifts the limit from the next request on', async () => {
    const customer = await withQuota(1, 'community');
    expect(await statusesOf(customer, ['/v1/models', '/v1/models', '/v1/changes'])).toEqual([200, 429, 403]);
    const changes = api.accounts.accounts.as(SYSTEM);
    await changePlan(
      customer.organizationId,
      (before) => ({
        ...before,
        plan: 'builder',
        contract: {},
      }),
      changes,
    );
    const response = await api.ask(customer, '/v1/changes');
    expect(response.headers).toMatchObject({
      'x-quota-limit': '5000',
      'x-quota-used': '2',
      'x-service-plan': 'builder',
    });
    expect(await api.accountOf(customer)).toMatchObject({ plan: { plan: 'builder' }, usage: { limit: 5000 } });
  });

  test.each([
    ['community', 1, 750],
    ['community', 2, 1000],
    ['community', 3, 1000],
    ['builder', 2, 5500],
  ] as const)('%s with %i verified integrations has %i responses a day', async (plan, integrations, limit) => {
    const customer = await api.accounts.add({ plan });
    await verifyIntegrations(customer.organizationId, integrations);
    const response = await api.ask(customer, '/v1/models');
    expect(response.headers).toMatchObject({ 'x-quota-limit': `${limit}`, 'x-quota-remaining': `${limit - 1}` });
    const { usage, plan: told } = await api.accountOf(customer);
    expect({ limit: usage.limit, base: told.daily_quota }).toEqual({ limit, base: plan === 'community' ? 500 : 5000 });
  });
});
