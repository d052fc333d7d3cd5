import { randomBytes } from 'node:crypto';
import { Agent } from 'node:http';
import { describe, expect, test } from 'vitest';
import { LIMIT_HEADERS, namesAmong, steadyError, steadyHeaders } from '../../../test/support/api/answers.ts';
import { fetchOnce } from '../../../test/support/api/listen.ts';
import { requestText } from '../../../test/support/api/raw-request.ts';
import { bearer } from '../../../test/support/api/test-accounts.ts';
import { openOwnApi, useApi } from '../../../test/support/api/use-api.ts';
import { SAMPLE_DAYS } from '../../../test/support/pipeline/sample-store.ts';
import { SYSTEM } from '../../accounts/actor.ts';
import { revokeKey } from '../../accounts/organizations/keys.ts';
import { API_KEYS } from '../../accounts/organizations/token-form.ts';

const CLOSE = { connection: 'close' };
/** Specification "Authentication". */
const api = useApi({ days: SAMPLE_DAYS, accounts: {}, settings: { failedAttemptsMax: 1_000_000 } });

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
    const { accounts, add } = api.accounts;
    const [revoked, good] = [await add(), await add()];
    await revokeKey(revoked.keyId, accounts.as(SYSTEM));
    const wrong: Readonly<Record<string, Record<string, string>>> = {
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
    const answers = await Promise.all(Object.values(wrong).map((headers) => api.get('/v1/models', headers)));
    const usual = { 'www-authenticate': 'Bearer', 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };
    const help_url = expect.stringMatching(/docs\/errors\/unauthenticated$/);
    const error = { code: 'unauthenticated', param: null, hasRequestId: true, help_url };
    const responses = answers.map((answer) => [answer.statusCode, steadyHeaders(answer), steadyError(answer)]);
    expect(responses[0]).toMatchObject([401, usual, error]);
    for (const [i, name] of Object.keys(wrong).entries()) expect(responses[i], name).toEqual(responses[0]);
    expect(new Set(answers.map((answer) => answer.headers['x-request-id'])).size).toBe(answers.length);
    expect(new Set(answers.map((answer) => answer.headers['content-length'])).size).toBe(1);
  });

  test('authentication comes before everything: a 401 says nothing of limits, and is the same whatever is asked', async () => {
    const urls = ['/v1/models', '/v1/account', '/v1/nothing', '/v1/changes?limit=x', `/v1/models/${'x'.repeat(2_500)}`];
    const headers = { 'idempotency-key': 'x'.repeat(200), 'if-none-match': '*' };
    const answers = await Promise.all(urls.map((url) => api.get(url, headers)));
    const [first, ...others] = answers.map((answer) => [steadyHeaders(answer), steadyError(answer)]);
    for (const [i, answer] of answers.entries())
      expect([answer.statusCode, namesAmong([...LIMIT_HEADERS, 'x-cache'], answer)], urls[i]).toEqual([401, []]);
    for (const [i, other] of others.entries()) expect(other, urls[i + 1]).toEqual(first);
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

describe('Paths', () => {
  test.each([
    '/%761/models',
    '/v%31/models',
    '/v1/%6dodels',
    '/v1/mode%6Cs?limit=1',
    'http://localhost/v1/models',
    'http://anybody@elsewhere/v1/models',
    '/v1/account#fragment',
  ])('%s asks for a key as the plain path does', async (target) => {
    expect((await api.send(requestText(target, CLOSE))).status).toBe(401);
    const { key } = api.accounts.customers.commercial;
    const answer = await api.send(requestText(target, { ...bearer(key), ...CLOSE }));
    expect([answer.status, answer.headers['x-quota-limit']]).toEqual([200, 'unlimited']);
  });

  test('below a base path the same holds, and outside of it there is nothing', async () => {
    const other = await openOwnApi({ store: api.store.url, accounts: {}, settings: { basePath: '/stats' } });
    const { community } = other.accounts.customers;
    const urls = ['/stats/v1/models', '/st%61ts/v1/models', '/stats/v1/nothing', '/stats/%76%31/nothing', '/stats/v1'];
    for (const url of urls) expect([url, (await other.get(url)).statusCode]).toEqual([url, 401]);
    for (const url of ['/v1/models', '/v1', '/stats', '/statsv1/models', '/stats/v1x'])
      expect([url, (await other.get(url)).statusCode]).toEqual([url, 404]);
    const response = await other.ask(community, '/stats/v1/models');
    expect([response.statusCode, response.headers['x-quota-used']]).toEqual([200, '1']);
    const refused = await other.ask(community, '/stats/v1/changes');
    expect(refused.json().error.help_url).toBe('http://localhost:80/stats/docs/errors/feature_not_in_plan');
  });
});

test('every request of a kept-alive connection is authenticated and counted by itself', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const [one, other] = [await api.accounts.add(), await api.accounts.add()];
  const seen: unknown[] = [];
  for (const key of [one.key, other.key, 'wrong', one.key]) {
    const { status, headers } = await fetchOnce(`http://127.0.0.1:${await api.port()}/v1/models`, key, { agent });
    seen.push([status, headers['x-quota-used']]);
  }
  agent.destroy();
  expect(seen).toEqual([
    [200, '1'],
    [200, '1'],
    [401, undefined],
    [200, '2'],
  ]);
});

test('a second Authorization header changes nothing: the first one holds', async () => {
  const [one, other] = [await api.accounts.add(), await api.accounts.add()];
  const twice = `authorization: Bearer ${one.key}\r\nauthorization: Bearer ${other.key}\r\n`;
  const answer = await api.send(`GET /v1/models HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${twice}\r\n`);
  expect(answer.status).toBe(200);
  const used = await Promise.all([one, other].map(async (who) => (await api.accountOf(who)).usage.used));
  expect(used).toEqual([1, 0]);
});
