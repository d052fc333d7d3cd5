/** What a call bears before it gives up: faults between a client and the real API, and answers of whatever stands between. */
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { json, useAnsweringServer } from '../test/support/client/answering-server.ts';
import { QUICK, useService } from '../test/support/client/service.ts';
import { type Fault, FaultProxy } from '../test/support/processes/fault-proxy.ts';
import { type ClientDeps, ModelstatsClient } from './client.ts';
import type { ClientOptions } from './client-settings.ts';
import { ClientError, ConnectionError, RateLimitError, ServiceError } from './errors.ts';
import type { Retry } from './send.ts';

const service = useService({ days: ['2026-06-01'] });
const server = useAnsweringServer();
let proxy: FaultProxy;
beforeAll(async () => {
  proxy = await FaultProxy.start(service.url);
});
beforeEach(() => proxy.reset());
afterAll(() => proxy.stop());

/** A client of a new organization, behind the proxy, and how many units of the day it used. */
async function customer(options: Partial<ClientOptions> = {}) {
  const key = await service.addKey({ plan: 'commercial' });
  const retries: Retry[] = [];
  const deps = { onRetry: (retry: Retry) => void retries.push(retry) };
  const client = new ModelstatsClient({ ...QUICK, url: proxy.endpoint, key, ...options }, deps);
  const direct = service.client({ key });
  return { client, retries, used: async () => (await direct.getAccount()).body.usage.used };
}

/** A client of the server that answers what the test says. */
function clientOf(options: Partial<ClientOptions> = {}, deps: ClientDeps = {}): ModelstatsClient {
  return new ModelstatsClient({ ...QUICK, url: server.url, key: 'k', attemptsMax: 3, ...options }, deps);
}

const UNAVAILABLE = { error: { code: 'unavailable', message: 'Not now', param: null } };
const TOO_MANY = {
  error: { code: 'rate_limit_exceeded', message: 'Too many', param: null, limit_type: 'burst', limit_scope: 'route' },
};

describe('what may pass is tried again, with one Idempotency-Key, and costs one unit', () => {
  test.each<[string, Fault, typeof ClientError]>([
    ['a lost answer', { is: 'answer-lost' }, ConnectionError],
    ['an answer cut in its middle', { is: 'answer-cut', afterBytes: 100 }, ConnectionError],
    ['500', { is: 'answer', status: 500, code: 'InternalError' }, ServiceError],
    ['502 of a proxy', { is: 'answer', status: 502, code: 'BadGateway' }, ServiceError],
    ['503', { is: 'answer', status: 503, code: 'SlowDown' }, ServiceError],
    ['408', { is: 'answer', status: 408, code: 'Timeout' }, ClientError],
    ['429 of a minute', { is: 'answer', status: 429, code: 'Slow', headers: { 'retry-after': '0' } }, RateLimitError],
  ])('%s', async (_, fault, kind) => {
    const { client, retries, used } = await customer();
    const keys = new Set<unknown>();
    proxy.failNext(({ headers }) => keys.add(headers['idempotency-key']) !== undefined, fault, 2);
    const { body } = await client.listModels();
    expect(body.models.length).toBeGreaterThan(0);
    expect(proxy.requests).toHaveLength(3);
    expect(keys.size).toBe(1);
    expect(retries.map(({ error }) => error.constructor)).toEqual([kind, kind]);
    expect(await used()).toBe(1);
    await client.listModels();
    expect(await used(), 'the next call has a key of its own').toBe(2);
  });

  test('an answer that does not come within the time', async () => {
    const { client, retries, used } = await customer({ timeoutMs: 200 });
    proxy.failNext(() => true, { is: 'silence' });
    await client.listCategories();
    expect(retries.map(({ error }) => error.message)).toEqual([expect.stringContaining('no response within 200 ms')]);
    expect(await used()).toBe(1);
  });

  test('a body that was damaged on the way: packed, so that its checksum finds it', async () => {
    const packed = gzipSync(JSON.stringify({ categories: [{ id: 'text', model_count: 3 }] }), { level: 0 });
    const damaged = Buffer.from(packed);
    const digit = damaged.indexOf('3}');
    damaged.write('4', digit);
    const answer = (body: Buffer) => (_: unknown, response: ServerResponse) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      response.end(body);
    };
    server.answer(answer(damaged), answer(packed));
    expect((await clientOf().listCategories()).body.categories).toEqual([{ id: 'text', model_count: 3 }]);
    expect(server.requests.map(({ headers }) => headers['accept-encoding'])).toEqual(['gzip', 'gzip']);
  });
});

describe('what does not pass is given up after so many tries, and told', () => {
  test('a refused connection', async () => {
    const gone = await FaultProxy.start(service.url);
    const url = gone.endpoint;
    await gone.stop();
    const call = clientOf({ url }).listModels();
    await expect(call).rejects.toMatchObject({ name: 'ConnectionError', code: 'no_answer', status: undefined });
    await expect(call).rejects.toThrow(/127\.0\.0\.1:\d+: .*ECONNREFUSED/);
  });

  test('a service that fails: its own words and request id', async () => {
    const headers = { 'x-request-id': '01REQ', 'retry-after': '1' };
    server.answer(json(UNAVAILABLE, { status: 503, headers }));
    const fields = { name: 'ServiceError', code: 'unavailable', message: 'Not now', request_id: '01REQ', status: 503 };
    await expect(clientOf().listModels()).rejects.toMatchObject(fields);
    expect(server.requests).toHaveLength(3);
    expect(new Set(server.requests.map(({ headers: sent }) => sent['idempotency-key'])).size).toBe(1);
  });

  test.each([
    [503, 'ServiceError'],
    [200, 'ConnectionError'],
  ])("a proxy's page in HTML, with status %d", async (status, name) => {
    server.answer((_, response) => {
      response.writeHead(status, { 'content-type': 'text/html' });
      response.end('<html><body>Sorry</body></html>');
    });
    await expect(clientOf().listModels()).rejects.toMatchObject({ name });
    expect(server.requests).toHaveLength(3);
  });

  test('each wait is within its bound', async () => {
    server.answer(json(UNAVAILABLE, { status: 503 }));
    const delays: number[] = [];
    const options = { attemptsMax: 6, retryDelayMsMax: 8 };
    await expect(
      clientOf(options, { onRetry: ({ delayMs }) => void delays.push(delayMs) }).listModels(),
    ).rejects.toThrow();
    expect(delays).toHaveLength(5);
    for (const delay of delays) expect(delay).toBeLessThanOrEqual(8);
  });
});

describe('what will not pass is not tried again', () => {
  test.each([301, 302, 307, 308])('a redirect (%d), whose target it names', async (status) => {
    server.answer((_, response) => {
      response.writeHead(status, { location: 'https://api.example.com/v1/models' });
      response.end();
    });
    const call = clientOf().listModels();
    await expect(call).rejects.toMatchObject({ name: 'ClientError', code: 'redirected', status });
    await expect(call).rejects.toThrow('https://api.example.com/v1/models');
    expect(server.requests).toHaveLength(1);
  });

  test.each([400, 401, 403, 404, 410, 418, 422])('%d', async (status) => {
    server.answer(json({}, { status }));
    await expect(clientOf().listModels()).rejects.toMatchObject({ status, code: `http_${status}` });
    expect(server.requests).toHaveLength(1);
  });

  test('a limit per minute that lasts longer than may be waited', async () => {
    server.answer(json(TOO_MANY, { status: 429, headers: { 'retry-after': '42' } }));
    const fields = { name: 'RateLimitError', retry_after_seconds: 42, limit_type: 'burst', limit_scope: 'route' };
    await expect(clientOf({ limitWaitMsMax: 41_000 }).listModels()).rejects.toMatchObject(fields);
    expect(server.requests).toHaveLength(1);
  });
});

describe('a signal ends at once', () => {
  test('the wait for a limit, which lasts as long as Retry-After says and up to a second more', async () => {
    server.answer(json(TOO_MANY, { status: 429, headers: { 'retry-after': '42' } }));
    const stop = new AbortController();
    const delays: number[] = [];
    const onRetry = ({ delayMs }: Retry) => {
      delays.push(delayMs);
      setImmediate(() => stop.abort());
    };
    const call = clientOf({}, { onRetry }).listModels({}, { signal: stop.signal });
    await expect(call).rejects.toMatchObject({ name: 'AbortError' });
    expect(delays[0]).toBeGreaterThanOrEqual(42_000);
    expect(delays[0]).toBeLessThanOrEqual(43_000);
    expect(server.requests).toHaveLength(1);
  });

  test('a request under way', async () => {
    const stop = new AbortController();
    server.answer(() => stop.abort());
    const call = clientOf().listModels({}, { signal: stop.signal });
    await expect(call).rejects.toMatchObject({ name: 'AbortError' });
    expect(server.requests).toHaveLength(1);
  });

  test('a call that has not begun', async () => {
    await expect(clientOf().listModels({}, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      name: 'AbortError',
    });
    expect(server.requests).toHaveLength(0);
  });
});
