import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { listenOnLoopback } from '../../test/support/server/listen-on-loopback.ts';
import { LOOPBACK, requestTo } from '../../test/support/server/outbound-settings.ts';
import { openOutbound, openReceiver } from '../../test/support/server/use-outbound.ts';

/** Long enough for a handshake on a busy machine, short enough to wait for. */
const TIMEOUT_MS = 700;
const SOON = { timeoutMs: TIMEOUT_MS };

function abortable() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort(new Error('stopping')) };
}

test('a POST arrives as it was given, and its answer comes back whole', async () => {
  const seen: { method?: string; url?: string; headers?: IncomingHttpHeaders; body?: string } = {};
  const { receiver, outbound } = await openReceiver(async (request, response) => {
    const { method = '', url = '', headers } = request;
    let body = '';
    for await (const chunk of request) body += String(chunk);
    Object.assign(seen, { method, url, headers, body });
    response.writeHead(202, { 'X-Two': ['a', 'b'] }).end('taken');
  });
  const url = `${receiver.url}/hook?a=1&b=%20#part`;
  const headers = { 'Content-Type': 'application/json', 'X-Service-Event': 'ping' };
  const answer = await outbound.request(requestTo(url, { method: 'POST', headers, body: '{"é":1}' }));
  expect(answer).toMatchObject({ kind: 'response', status: 202, body: Buffer.from('taken'), isCut: false, url });
  expect(answer).toMatchObject({ headers: { 'x-two': ['a', 'b'] }, durationMs: expect.any(Number) });
  expect(seen).toMatchObject({ method: 'POST', url: '/hook?a=1&b=%20', body: '{"é":1}' });
  expect(seen.headers).toEqual({
    host: `127.0.0.1:${receiver.port}`,
    connection: 'keep-alive',
    'content-length': '8',
    'content-type': 'application/json',
    'x-service-event': 'ping',
    'user-agent': 'modelstats-test',
    'accept-encoding': 'identity',
  });
});

test.each([200, 204, 400, 404, 429, 500, 503])('a %d is an answer', async (status) => {
  const { receiver, outbound } = await openReceiver((_request, response) => response.writeHead(status).end());
  expect(await outbound.request(requestTo(receiver.url))).toMatchObject({ kind: 'response', status });
});

test('a body is never unpacked', async () => {
  const packed = gzipSync(Buffer.alloc(1_000_000));
  const { receiver, outbound } = await openReceiver((_request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed);
  });
  const answer = await outbound.request(requestTo(receiver.url, { responseBytesMax: 10_000 }));
  expect(answer).toMatchObject({ body: packed, isCut: false });
});

describe('of an answer', () => {
  test.each([
    [0, 1, true],
    [5, 5, false],
    [5, 6, true],
    [100_000, 3_000_000, true],
  ])('at most %d bytes are kept: of %d', async (responseBytesMax, size, isCut) => {
    const { receiver, outbound } = await openReceiver((_request, response) => response.end(Buffer.alloc(size, 'a')));
    const answer = await outbound.request(requestTo(receiver.url, { responseBytesMax }));
    const body = Buffer.alloc(Math.min(responseBytesMax, size), 'a');
    expect(answer).toMatchObject({ kind: 'response', status: 200, isCut, body });
  });

  test('that never ends the connection is closed as soon as enough is there', async () => {
    const { promise: isClosed, resolve: closed } = Promise.withResolvers<void>();
    const { receiver, outbound } = await openReceiver((_request, response) => {
      response.on('close', () => closed());
      const write = () => {
        while (!response.destroyed && response.write(Buffer.alloc(1_000, 'a')));
      };
      response.on('drain', write);
      write();
    });
    expect(await outbound.request(requestTo(receiver.url))).toMatchObject({ kind: 'response', isCut: true });
    await isClosed;
  });

  test('the head is bounded', async () => {
    const { receiver, outbound } = await openReceiver((_request, response) => {
      response.writeHead(200, { 'x-a': 'a'.repeat(17_000) }).end();
    });
    const message = `127.0.0.1:${receiver.port} sent response headers that are too large`;
    expect(await outbound.request(requestTo(receiver.url))).toMatchObject({ reason: 'connection', message });
  });
});

describe('the time is for everything:', () => {
  const drip = (response: ServerResponse) => {
    const timer = setInterval(() => response.write('a'), 20);
    response.on('close', () => clearInterval(timer));
  };

  test.each([
    ['that says nothing', () => {}, undefined],
    ['that sends a byte of its body now and then', (response: ServerResponse) => drip(response.writeHead(200)), 200],
    ['that never ends its body', (response: ServerResponse) => response.writeHead(204 + 1).write('a'), 205],
    ['that only promises', (response: ServerResponse) => response.writeProcessing(), undefined],
  ] as const)('a receiver %s has not answered', async (_, answer, status) => {
    const { promise: isClosed, resolve: closed } = Promise.withResolvers<void>();
    const { receiver, outbound } = await openReceiver(
      ({ url }, response) => {
        if (url === '/first') return void response.end();
        response.on('close', () => closed());
        answer(response);
      },
      { settings: { connectionsMax: 1 } },
    );
    await outbound.request(requestTo(`${receiver.url}/first`)); // So that the time is not spent on the connection.
    const message = `127.0.0.1:${receiver.port} did not respond within 0.7 s`;
    const failure = await outbound.request(requestTo(receiver.url, SOON));
    expect(failure).toMatchObject({ kind: 'failure', reason: 'timeout', message, status });
    expect(failure.durationMs).toBeGreaterThan(TIMEOUT_MS - 50);
    await isClosed; // The connection is, so nothing goes on behind the answer.
  });

  test.each([
    ['a server that takes the connection and says nothing', {}],
    ['a name that is not resolved', { resolveName: () => new Promise<never>(() => {}) }],
  ])('%s', async (_, settings) => {
    const { port } = await listenOnLoopback();
    const outbound = openOutbound({ allow: LOOPBACK, ...settings });
    const host = 'resolveName' in settings ? 'example.com' : '127.0.0.1';
    const answer = await outbound.request(requestTo(`https://${host}:${port}/`, SOON));
    expect(answer).toMatchObject({ kind: 'failure', reason: 'timeout' });
  });

  test('a connection has a time of its own besides', async () => {
    const { port } = await listenOnLoopback();
    const outbound = openOutbound({ allow: LOOPBACK, connectTimeoutMs: 100 });
    const message = `127.0.0.1:${port} did not accept a connection in time`;
    const answer = await outbound.request(requestTo(`https://127.0.0.1:${port}/`));
    expect(answer).toMatchObject({ kind: 'failure', reason: 'timeout', message });
  });

  test('waiting for a free connection counts, and who waited too long is never sent', async () => {
    const seen: string[] = [];
    const both = Promise.withResolvers<void>();
    const { receiver, outbound } = await openReceiver(
      ({ url = '' }, response) => {
        seen.push(url);
        if (url === '/after') response.end();
        else if (seen.length === 2) both.resolve();
      },
      { settings: { connectionsMax: 2 } },
    );
    const { signal, abort } = abortable();
    const held = [1, 2].map((n) => outbound.request(requestTo(`${receiver.url}/${n}`, { signal })));
    await both.promise;
    const waiting = [3, 4, 5].map((n) => outbound.request(requestTo(`${receiver.url}/${n}`, { timeoutMs: 100 })));
    const failures = await Promise.all(waiting);
    expect(failures.map((answer) => answer.kind === 'failure' && answer.reason)).toEqual(Array(3).fill('timeout'));
    abort();
    await Promise.allSettled(held);
    expect(await outbound.request(requestTo(`${receiver.url}/after`))).toMatchObject({ kind: 'response' });
    expect(seen.sort()).toEqual(['/1', '/2', '/after']);
  });

  test('requests that wait behind ones that fail get their turn', async () => {
    const outbound = openOutbound({
      connectionsMax: 2,
      resolveName: async () => [{ address: '10.0.0.7', family: 4 }],
    });
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => outbound.request(requestTo('https://example.com/'))));
    expect(answers.map((answer) => answer.kind === 'failure' && answer.reason)).toEqual(Array(5).fill('blocked'));
  });
});

describe('a connection that ends early is a failure:', () => {
  test.each([
    ['at once', (response: ServerResponse) => response.destroy(), undefined],
    [
      'within the body',
      (response: ServerResponse) =>
        response.writeHead(200, { 'content-length': 9 }).write('a', () => response.destroy()),
      200,
    ],
  ] as const)('%s', async (_, answer, status) => {
    const { receiver, outbound } = await openReceiver((_request, response) => void answer(response));
    const message = `127.0.0.1:${receiver.port} closed the connection before its response was complete`;
    expect(await outbound.request(requestTo(receiver.url))).toMatchObject({ reason: 'connection', message, status });
  });

  test('with what is no HTTP', async () => {
    const { receiver, outbound } = await openReceiver(({ socket }) => void socket.end('220 mail.example.com\r\n'));
    const message = `127.0.0.1:${receiver.port} sent invalid HTTP`;
    expect(await outbound.request(requestTo(receiver.url))).toMatchObject({ reason: 'connection', message });
  });
});

describe('a caller', () => {
  test('that has aborted before gets its own reason, and nothing is sent', async () => {
    const { receiver, outbound } = await openReceiver((_request, response) => response.end());
    const signal = AbortSignal.abort(new Error('stopping'));
    await expect(outbound.request(requestTo(receiver.url, { signal }))).rejects.toThrow('stopping');
    expect(receiver.connections()).toBe(0);
  });

  test('that aborts in between gets its own reason, and the connection is closed', async () => {
    const { signal, abort } = abortable();
    const { promise: isClosed, resolve: closed } = Promise.withResolvers<void>();
    const { receiver, outbound } = await openReceiver((_request, response) => {
      response.on('close', () => closed());
      abort();
    });
    await expect(outbound.request(requestTo(receiver.url, { signal }))).rejects.toThrow('stopping');
    await isClosed;
  });

  test('that closes the guard gets the answers under way, and no more requests', async () => {
    const { receiver, outbound } = await openReceiver(
      (_request, response) => void setTimeout(() => response.end(), 50),
    );
    const answer = outbound.request(requestTo(receiver.url));
    await outbound.close();
    expect(await answer).toMatchObject({ kind: 'response' });
    await expect(outbound.request(requestTo(receiver.url))).rejects.toThrow('outbound requests are closed');
  });
});

/** What a receiver may send in place of an answer, well-formed or not. */
const statusLine = fc.oneof(
  fc.integer({ min: 0, max: 1_100 }).map((status) => `HTTP/1.1 ${status} Told\r\n`),
  fc.constantFrom('HTTP/1.1 200\r\n', 'HTTP/1.0 200 OK\r\n', 'HTTP/2.0 200 OK\r\n', 'ICY 200 OK\r\n', '\r\n', ''),
  fc.constantFrom(
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nlink: a\r\n\r\nHTTP/1.1 200 OK\r\n',
    'HTTP/1.1 101 Switch\r\n',
  ),
);
const field = fc.oneof(
  fc.constantFrom('__proto__: a', 'constructor: a', 'upgrade: h2c', 'location: https://[', 'trailer: a'),
  fc.constantFrom('content-length: 3', 'content-length: -1', 'content-length: 99999999999'),
  fc.constantFrom('transfer-encoding: chunked', 'transfer-encoding: gzip, chunked'),
  fc.constantFrom(
    'connection: close',
    'connection: upgrade',
    'keep-alive: timeout=0',
    'keep-alive: timeout=99999999999',
  ),
  fc.tuple(fc.string(), fc.string({ unit: 'binary' })).map(([name, value]) => `${name}: ${value}`),
);
const body = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('3\r\nabc\r\n0\r\n\r\n', '3;a=b\r\nabc\r\n0\r\n__proto__: a\r\n\r\n'),
  fc.constantFrom('ffffffffffffffffff\r\na', '-1\r\n\r\n', '0\r\n'),
);
const responseText = fc
  .tuple(statusLine, fc.array(field, { maxLength: 6 }), body)
  .map(([line, fields, text]) => `${line}${fields.map((one) => `${one}\r\n`).join('')}\r\n${text}`);

test('whatever a receiver sends, the request ends as an answer or as a failure', async () => {
  let sent = '';
  const { receiver, outbound } = await openReceiver(({ socket }) => void socket.end(sent, 'latin1'));
  const property = fc.asyncProperty(responseText, async (text) => {
    sent = text;
    const answer = await outbound.request(requestTo(receiver.url, { timeoutMs: 5_000, responseBytesMax: 100 }));
    if (answer.kind === 'response') expect([answer.status >= 200, answer.body.length <= 100]).toEqual([true, true]);
    else expect(answer.message).toMatch(/^127\.0\.0\.1:\d+ [a-z]/);
  });
  await fc.assert(property, { numRuns: 100 });
});
