import { Agent } from 'node:http';
import { describe, expect, test } from 'vitest';
import { fetchOnce } from '../../../test/support/api/listen.ts';
import { requestText } from '../../../test/support/api/raw-request.ts';
import { bearer } from '../../../test/support/api/test-accounts.ts';
import { openOwnApi, useApi } from '../../../test/support/api/use-api.ts';
import { SAMPLE_DAYS } from '../../../test/support/pipeline/sample-store.ts';

const api = useApi({ days: SAMPLE_DAYS, accounts: {}, settings: { failedAttemptsMax: 1_000_000 } });
const CLOSE = { connection: 'close' };

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

  test.each([
    '//v1/models',
    '/./v1/models',
    '/x/../v1/models',
    '/v1%2Fmodels',
    '/V1/models',
    '/v1//models',
    '/v1/models/',
    '/v1;/models',
    '\\v1\\models',
  ])('%s is no way around: it leads to no data', async (target) => {
    expect([400, 401, 404]).toContain((await api.send(requestText(target, CLOSE))).status);
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
