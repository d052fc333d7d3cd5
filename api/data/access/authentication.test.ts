import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { LIMIT_HEADERS, namesAmong, steadyError, steadyHeaders } from '../../../test/support/api/answers.ts';
import { bearer } from '../../../test/support/api/test-accounts.ts';
import { useApi } from '../../../test/support/api/use-api.ts';
import { MODEL, SAMPLE_DAYS } from '../../../test/support/pipeline/sample-store.ts';
import { SYSTEM } from '../../accounts/actor.ts';
import { createKey, revokeKey } from '../../accounts/organizations/keys.ts';
import { createOrganization } from '../../accounts/organizations/organizations.ts';
import { API_KEYS } from '../../accounts/organizations/token-form.ts';

/** Specification "Authentication". */
const api = useApi({ days: SAMPLE_DAYS, accounts: {}, settings: { failedAttemptsMax: 1_000_000 } });

/** Credentials that are none, by what is wrong with them. */
async function wrongCredentials(): Promise<Readonly<Record<string, Record<string, string>>>> {
  const { accounts, add } = api.accounts;
  const [revoked, good] = [await add(), await add()];
  await revokeKey(revoked.keyId, accounts.as(SYSTEM));
  return {
    missing: {},
    empty: { authorization: '' },
    malformed: bearer('msk_not-a-key'),
    mistyped: bearer(`${good.key.slice(0, -1)}${good.key.endsWith('a') ? 'b' : 'a'}`),
    unknown: bearer(API_KEYS.fromBytes(randomBytes(32))),
    revoked: bearer(revoked.key),
    'another scheme': { authorization: `Basic ${Buffer.from(`${good.key}:`).toString('base64')}` },
    'no scheme': { authorization: good.key },
    'two keys': { authorization: `Bearer ${good.key} ${good.key}` },
    'in another header': { 'x-api-key': good.key },
    'beyond measure': bearer('x'.repeat(8_000)),
  };
}

describe('Authentication', () => {
  test('the scheme is HTTP bearer, whatever its case', async () => {
    const { key } = api.accounts.customers.community;
    for (const scheme of ['Bearer', 'bearer', 'BEARER ']) {
      const response = await api.get('/v1/models', { authorization: `${scheme} ${key}` });
      expect(response.statusCode).toBe(200);
    }
  });

  test('every route below /v1 asks for a key, unknown ones and other methods too', async () => {
    const paths = [
      '/v1',
      '/v1/models',
      '/v1/models/x',
      '/v1/account',
      '/v1/changes',
      '/v1/nothing',
      '/v1/models/a/b/c',
    ];
    for (const url of paths)
      for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS', 'DELETE'] as const)
        expect([url, method, (await api.app.inject({ method, url })).statusCode]).toEqual([url, method, 401]);
  });

  test('a key in the query or in the body is no credential', async () => {
    const { key } = api.accounts.customers.community;
    expect((await api.get(`/v1/models?key=${key}&api_key=${key}&access_token=${key}`)).statusCode).toBe(401);
    const payload = { access_token: key };
    expect((await api.app.inject({ method: 'POST', url: '/v1/models', payload })).statusCode).toBe(401);
  });

  test('missing, malformed, unknown and revoked keys get the same 401, body and headers, request id apart', async () => {
    const wrong = Object.entries(await wrongCredentials());
    const answers = await Promise.all(wrong.map(([, headers]) => api.get('/v1/models', headers)));
    const told = answers.map((response) => ({
      status: response.statusCode,
      headers: steadyHeaders(response),
      error: steadyError(response),
    }));
    expect(told[0]).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Bearer', 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' },
      error: {
        code: 'unauthenticated',
        param: null,
        hasRequestId: true,
        help_url: expect.stringMatching(/docs\/errors\/unauthenticated$/),
      },
    });
    for (const [index, answer] of told.entries())
      expect([wrong[index]?.[0], answer]).toEqual([wrong[index]?.[0], told[0]]);
    expect(new Set(answers.map(({ headers }) => headers['x-request-id'])).size).toBe(answers.length);
    expect(new Set(answers.map(({ headers }) => headers['content-length'])).size).toBe(1);
  });

  test('a 401 says nothing of limits, and is the same on every route, data, account or none', async () => {
    const answers = await Promise.all(
      ['/v1/models', '/v1/account', '/v1/nothing', '/v1/changes?limit=x'].map((url) => api.get(url)),
    );
    for (const response of answers) {
      expect(namesAmong([...LIMIT_HEADERS, 'x-cache'], response)).toEqual([]);
      expect({ headers: steadyHeaders(response), error: steadyError(response) }).toEqual({
        headers: steadyHeaders(answers[0] ?? response),
        error: steadyError(answers[0] ?? response),
      });
    }
  });

  test('a revocation is in force from the next request on, in the middle of use', async () => {
    const customer = await api.accounts.add();
    expect((await api.ask(customer, '/v1/models')).statusCode).toBe(200);
    await revokeKey(customer.keyId, api.accounts.accounts.as(SYSTEM));
    expect((await api.ask(customer, '/v1/models')).statusCode).toBe(401);
  });

  test('more keys give no more: quota and burst are the organization’s', async () => {
    const customer = await api.accounts.add({ contract: { daily_quota: 2, burst_per_minute: 5 } });
    const second = await createKey(
      { organizationId: customer.organizationId, name: 'second' },
      api.accounts.accounts.as(SYSTEM),
    );
    const [one, other] = [customer, { ...customer, key: second.key }];
    const statuses: number[] = [];
    for (const who of [one, other, other, one, one, other])
      statuses.push((await api.ask(who, '/v1/models')).statusCode);
    expect(statuses).toEqual([200, 200, 429, 429, 429, 429]);
    const [quota, burst] = [await api.ask(one, '/v1/models'), await api.ask(other, '/v1/account')];
    expect([quota.json().error.limit_type, burst.json().error.limit_type]).toEqual(['burst', 'burst']);
  });

  test('requests without a valid key cost nobody quota or burst', async () => {
    const customer = await api.accounts.add();
    for (const headers of Object.values(await wrongCredentials())) await api.get('/v1/models', headers);
    const response = await api.ask(customer, '/v1/account');
    expect(response.headers).toMatchObject({ 'x-quota-used': '0', 'x-ratelimit-remaining': '59' });
  });

  test('an organization without a subscription is on Community, and its keys work', async () => {
    const { accounts } = api.accounts;
    const { id } = await createOrganization({ name: 'From before the plans' }, accounts.as(SYSTEM));
    const { key } = await createKey({ organizationId: id, name: 'old' }, accounts.as(SYSTEM));
    const response = await api.get('/v1/models', bearer(key));
    expect([response.statusCode, response.headers['x-service-plan']]).toEqual([200, 'community']);
  });

  test('history is in every plan; snapshots and incremental are in Builder and Commercial', async () => {
    const routes = [
      `/v1/models/${MODEL}/history?kind=pricing`,
      '/v1/rankings/history?category_id=general',
      '/v1/snapshots',
      '/v1/changes',
    ];
    const statusesOf = async (plan: 'community' | 'builder' | 'commercial') =>
      Promise.all(routes.map(async (url) => (await api.ask(api.accounts.customers[plan], url)).statusCode));
    expect(await statusesOf('community')).toEqual([200, 200, 403, 403]);
    expect(await statusesOf('builder')).toEqual([200, 200, 200, 200]);
    expect(await statusesOf('commercial')).toEqual([200, 200, 200, 200]);
  });

  test('meta routes need no key, a wrong one is not in their way, and a good one is not charged', async () => {
    const customer = await api.accounts.add();
    for (const url of ['/health/live', '/health/ready', '/openapi.json', '/docs/errors/quota_exceeded', '/favicon.ico'])
      for (const headers of [{}, bearer('wrong'), bearer(customer.key)]) {
        const response = await api.get(url, headers);
        expect([url, response.statusCode, response.headers['x-quota-limit']]).toEqual([url, 200, undefined]);
      }
    expect((await api.accountOf(customer)).usage.used).toBe(0);
  });
});
