import { once } from 'node:events';
import { Agent } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Customer } from '../../test/support/accounts/subject.ts';
import { fetchOnce, listen } from '../../test/support/api/listen.ts';
import { openApi } from '../../test/support/api/open-api.ts';
import { bearer } from '../../test/support/api/test-accounts.ts';
import { useApi } from '../../test/support/api/use-api.ts';
import { SAMPLE_DAYS } from '../../test/support/pipeline/sample-store.ts';

const api = useApi({ days: SAMPLE_DAYS, accounts: {}, settings: { failedAttemptsMax: 1_000_000 } });
const place = { url: '', port: 0 };

beforeAll(async () => {
  place.url = await listen(api.app);
  place.port = Number(new URL(place.url).port);
});

function addCustomer(daily_quota: number | null = null): Promise<Customer> {
  return api.accounts.add({ plan: 'commercial', contract: { daily_quota } });
}

/** Writes bytes to the server and reads until it ends the connection. */
async function exchange(bytes: string): Promise<string> {
  const socket = connect(place.port, '127.0.0.1');
  socket.write(bytes);
  return text(socket);
}

function requestText(target: string, headers: Readonly<Record<string, string>>, method = 'GET'): string {
  const lines = Object.entries({ host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

/** Of all answers in a row; a body has no line of its own at its end. */
function statusesIn(answer: string): number[] {
  return [...answer.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status));
}

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
    expect(statusesIn(await exchange(requestText(target, { connection: 'close' })))).toEqual([401]);
    const { key } = await addCustomer();
    const answer = await exchange(requestText(target, { ...bearer(key), connection: 'close' }));
    expect([statusesIn(answer), /^x-quota-limit: unlimited/im.test(answer)]).toEqual([[200], true]);
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
    const [status = 0] = statusesIn(await exchange(requestText(target, { connection: 'close' })));
    expect([400, 401, 404]).toContain(status);
  });

  test('below a base path the same holds, and outside of it there is nothing', async () => {
    const other = await openApi({ store: api.store.url, accounts: {}, settings: { basePath: '/stats' } });
    const { community } = other.accounts.customers;
    const urls = ['/stats/v1/models', '/st%61ts/v1/models', '/stats/v1/nothing', '/stats/%76%31/nothing', '/stats/v1'];
    for (const url of urls) expect([url, (await other.get(url)).statusCode]).toEqual([url, 401]);
    for (const url of ['/v1/models', '/v1', '/stats', '/statsv1/models', '/stats/v1x'])
      expect([url, (await other.get(url)).statusCode]).toEqual([url, 404]);
    const response = await other.ask(community, '/stats/v1/models');
    expect([response.statusCode, response.headers['x-quota-used']]).toEqual([200, '1']);
    const refused = await other.ask(community, '/stats/v1/changes');
    expect(refused.json().error.help_url).toBe('http://localhost:80/stats/docs/errors/feature_not_in_plan');
    await other.close();
  });
});

describe('Connections', () => {
  test('every request of a kept-alive connection is authenticated and counted by itself', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const [one, other] = [await addCustomer(), await addCustomer()];
    const seen: unknown[] = [];
    for (const key of [one.key, other.key, 'wrong', one.key]) {
      const { status, headers } = await fetchOnce(`${place.url}/v1/models`, key, { agent });
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

  test('pipelined requests are counted one by one and answered in order', async () => {
    const customer = await addCustomer(2);
    const headers = bearer(customer.key);
    const requests = ['/v1/models', '/v1/nothing', '/v1/models', '/v1/scores'].map((target) =>
      requestText(target, headers),
    );
    const answer = await exchange(
      `${requests.join('')}${requestText('/v1/account', { ...headers, connection: 'close' })}`,
    );
    const statuses = statusesIn(answer);
    expect(statuses).toHaveLength(5);
    expect([statuses[1], statuses[4]]).toEqual([404, 200]);
    expect(statuses.filter((status) => status === 429)).toHaveLength(1);
    expect((await api.accountOf(customer)).usage.used).toBe(2);
  });

  test('a second Authorization header changes nothing: the first one holds', async () => {
    const [one, other] = [await addCustomer(), await addCustomer()];
    const twice = `authorization: Bearer ${one.key}\r\nauthorization: Bearer ${other.key}\r\n`;
    const answer = await exchange(`GET /v1/models HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${twice}\r\n`);
    expect(statusesIn(answer)).toEqual([200]);
    const used = await Promise.all([one, other].map(async (who) => (await api.accountOf(who)).usage.used));
    expect(used).toEqual([1, 0]);
  });

  test('a body that was not asked for is refused by the method, with headers, and costs nothing', async () => {
    const { key } = await addCustomer();
    const headers = { ...bearer(key), 'content-type': 'text/nonsense', 'content-length': '3', connection: 'close' };
    const answer = await exchange(`${requestText('/v1/models', headers, 'POST')}abc`);
    expect([405, 415]).toContain(statusesIn(answer)[0]);
    expect(answer).toMatch(/^x-quota-used: 0/im);
  });
});

describe('Requests that the client gives up', () => {
  const held: { release: () => void } = { release: () => {} };

  afterAll(() => held.release());

  test('cost no unit where nothing of their answer was sent, and nothing stays reserved (decision 0036)', async () => {
    const other = await openApi({ store: api.store.url, accounts: {} });
    const url = await listen(other.app);
    const view = other.follower.current();
    const rows = view.rows.bind(view);
    const gate = new Promise<void>((resolve) => {
      held.release = resolve;
    });
    view.rows = async (...given) => {
      await gate;
      return rows(...given);
    };
    const customer = await other.accounts.add({ plan: 'commercial' });
    for (const path of ['/v1/models', '/v1/models/none']) {
      const socket = connect(Number(new URL(url).port), '127.0.0.1');
      socket.write(requestText(path, bearer(customer.key)));
      await once(socket, 'connect');
    }
    await expect.poll(async () => (await other.accountOf(customer)).usage.used).toBe(2);
    other.app.server.closeAllConnections();
    held.release();
    await expect.poll(async () => (await other.accountOf(customer)).usage.used).toBe(0);
    await other.close();
  });
});
