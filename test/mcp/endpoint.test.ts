/** Who may send messages to MCP, and what of them is counted: nothing of those whose sender hangs up. */
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../support/api/listen.ts';
import { openApi } from '../support/api/open-api.ts';
import { bearer, replaceQuota } from '../support/api/test-accounts.ts';
import { LIST_TOOLS, sendMessage, toolCall } from '../support/mcp/messages.ts';
import { useMcp, withMcp } from '../support/mcp/use-mcp.ts';
import { SAMPLE_DAYS } from '../support/pipeline/sample-store.ts';

const mcp = useMcp();
const { addCustomer } = mcp;

test('without a valid key every method is 401, with the scheme that it takes', async () => {
  for (const method of ['POST', 'GET', 'DELETE']) {
    for (const key of [undefined, 'msk_wrong']) {
      const response = await sendMessage(mcp.url, LIST_TOOLS, { method, ...(key === undefined ? {} : { key }) });
      expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
      expect(await response.json()).toMatchObject({ error: { code: 'unauthenticated' } });
    }
  }
});

test('nothing but POST is there: 405 names it', async () => {
  const { key } = await addCustomer();
  for (const method of ['GET', 'DELETE', 'PUT']) {
    const response = await sendMessage(mcp.url, undefined, { key, method });
    expect([response.status, response.headers.get('allow')], method).toEqual([405, 'POST']);
  }
});

test('a page of another site is refused, a program and a page of this machine are not', async () => {
  const { key } = await addCustomer();
  const statusOf = async (origin: string) =>
    (await sendMessage(mcp.url, LIST_TOOLS, { key, headers: { origin } })).status;
  for (const origin of ['https://evil.example', 'http://127.0.0.1.evil.example', 'null', 'localhost']) {
    expect(await statusOf(origin), origin).toBe(403);
  }
  for (const origin of ['http://localhost:3000', 'http://127.0.0.1', 'http://[::1]:8080']) {
    expect(await statusOf(origin), origin).toBe(200);
  }
  // A name that an attacker lets point here is refused as well, though Host says the same.
  const rebound = await mcp.api.app.inject({
    method: 'POST',
    url: '/mcp',
    payload: LIST_TOOLS,
    headers: { ...bearer(key), host: 'evil.example', origin: 'http://evil.example' },
  });
  expect([rebound.statusCode, rebound.json().error.code]).toEqual([403, 'origin_not_allowed']);
});

test('what is no message is refused in the words of JSON-RPC, arguments of any depth among it', async () => {
  const { key } = await addCustomer();
  const errorOf = async (body: unknown, headers = {}) => {
    const response = await sendMessage(mcp.url, body, { key, headers });
    const { jsonrpc, id, error } = Object(await response.json());
    expect([jsonrpc, id]).toEqual(['2.0', null]);
    expect(response.headers.get('x-request-id')).not.toBeNull();
    return [response.status, error.code, error.message];
  };
  const deep = (levels: number) =>
    JSON.stringify(toolCall('list-models', { q: 'DEEP' })).replace('"DEEP"', '['.repeat(levels) + ']'.repeat(levels));
  const tooDeep = [400, -32600, 'The body of the request is nested more than 64 levels deep'];
  for (const levels of [62, 32_000]) expect(await errorOf(deep(levels))).toEqual(tooDeep);
  expect(await errorOf('{')).toEqual([400, -32700, 'The body of the request is not valid JSON']);
  expect(await errorOf([LIST_TOOLS])).toEqual([400, -32600, 'Send one message per request, not a list']);
  expect(await errorOf('x'.repeat(70_000))).toMatchObject([413, -32600, expect.stringContaining('65536 bytes')]);
  expect(await errorOf(LIST_TOOLS, { 'content-type': 'text/plain' })).toEqual([
    415,
    -32700,
    'The request has a body of an unsupported type',
  ]);
  // As deep as may be: the tool says what is wrong.
  const allowed = await sendMessage(mcp.url, deep(61), { key });
  expect(await allowed.text()).toContain('"isError":true');
});

test('every message counts for the burst limit, and beyond it is 429 with the usual headers', async () => {
  const { key } = await addCustomer(null, 3);
  for (const left of ['2', '1', '0']) {
    const response = await sendMessage(mcp.url, LIST_TOOLS, { key });
    expect([response.status, response.headers.get('x-ratelimit-remaining')]).toEqual([200, left]);
  }
  const refused = await sendMessage(mcp.url, toolCall('get-account'), { key });
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
  expect(await refused.json()).toMatchObject({ error: { code: 'rate_limit_exceeded', limit_scope: 'organization' } });
});

test('only a call that returns data costs a unit, and the headers tell the state after it', async () => {
  const customer = await addCustomer(10);
  const remainingAfter = async (message: unknown) =>
    (await sendMessage(mcp.url, message, { key: customer.key })).headers.get('x-quota-remaining');
  expect(await remainingAfter(LIST_TOOLS)).toBe('10');
  expect(await remainingAfter(toolCall('list-models'))).toBe('9');
  expect(await remainingAfter(toolCall('list-models', { limit: 0 }))).toBe('9');
  expect(await remainingAfter(toolCall('get-model', { model: 'nobody' }))).toBe('9');
  expect(await remainingAfter(toolCall('get-account'))).toBe('9');
  expect(await remainingAfter(toolCall('no-such-tool'))).toBe('9');
});

test('usage tells apart how a request came, by the route that answered it', async () => {
  const customer = await addCustomer();
  await mcp.api.ask(customer, '/v1/models');
  await sendMessage(mcp.url, toolCall('list-models'), { key: customer.key });
  const report = () =>
    mcp.api.accounts.accounts.readUsage(customer.organizationId, { from: '2026-06-04', to: '2026-06-04' });
  await expect.poll(async () => (await report()).total.requests).toBe(3);
  const { client_sources: sources, routes } = await report();
  expect(sources.map(({ client_source, requests, units }) => [client_source, requests, units]).sort()).toEqual([
    ['api_key', 1, 1],
    ['mcp_api_key', 2, 1],
  ]);
  expect(routes.map(({ route, requests, units }) => [route, requests, units]).sort()).toEqual([
    ['/mcp', 1, 0],
    ['/v1/models', 2, 2],
  ]);
});

/** The API with MCP, whose units are taken and then held, from the given one on, until told. */
async function start({ heldFrom = 1 } = {}) {
  const held: (() => void)[] = [];
  let [taken, released] = [0, 0];
  const api = await openApi({
    days: SAMPLE_DAYS.slice(0, 2),
    surfaces: withMcp,
    accounts: {
      wrap: (accounts) =>
        replaceQuota(accounts, {
          reserve: async (...given) => {
            const usage = await accounts.quota.reserve(...given);
            taken += 1;
            if (taken >= heldFrom) await new Promise<void>((resolve) => held.push(resolve));
            return usage;
          },
          release: async (...given) => {
            const usage = await accounts.quota.release(...given);
            released += 1;
            return usage;
          },
        }),
    },
  });
  onTestFinished(() => api.close());
  const { builder } = api.accounts.customers;
  return {
    url: await listen(api.app),
    key: builder.key,
    held,
    released: () => released,
    used: async () => (await api.accountOf(builder)).usage.used,
    connections: () => new Promise<number>((resolve) => api.app.server.getConnections((_, count) => resolve(count))),
  };
}

const COMPARE = toolCall('compare-models', { models: ['aurora-2', 'Aurora-2', 'aurora-2-mini'] });
const READ = { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'modelstats://providers' } };

test.each([
  ['a call', toolCall('list-models'), 1],
  ['the reading of a list', READ, 1],
  ['a comparison of three, at the second', COMPARE, 2],
  ['a comparison of three, at the third', COMPARE, 3],
])('who hangs up in the middle of %s has every unit back', async (_, message, units) => {
  const { url, key, held, released, used, connections } = await start({ heldFrom: units });
  const hangUp = new AbortController();
  const answer = sendMessage(`${url}/mcp`, message, { key, signal: hangUp.signal });
  await expect.poll(() => held.length).toBe(1);
  expect(await used()).toBe(units);
  hangUp.abort();
  await expect(answer).rejects.toThrow('abort');
  await expect.poll(connections).toBe(0);
  for (const give of held) give();
  await expect.poll(released).toBe(units);
  expect(await used()).toBe(0);
});
