/** What Fastify never sees is answered, logged and counted like anything else (specification "Health and metrics"). */
import { once } from 'node:events';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { requestText, sendRaw } from '../../../test/support/api/raw-request.ts';
import { type StartedServer, startServer } from '../../../test/support/server/start-server.ts';
import { httpError } from './http-error.ts';

const SECRET = 'hunter2';
const settings = { headersTimeoutMs: 300 };

/** A server whose `/late` takes a moment. */
function start(): Promise<StartedServer> {
  return startServer(
    async (app) => {
      app.get('/quick', async () => 'quick');
      app.get('/late', async () => {
        await new Promise((resolve) => setTimeout(resolve, 100));
        return 'late';
      });
    },
    { settings },
  );
}

/** The lines of answers, without what differs each time. */
const linesOf = ({ log }: StartedServer) =>
  log
    .filter(({ status }) => status !== undefined)
    .map(({ level: _level, time: _time, pid: _pid, hostname: _host, reqId: _id, ms: _ms, ...line }) => line);

test.each([
  ['garbage', `${SECRET} ${SECRET}\r\n\r\n`, 400, { method: null, url: null, reason: 'HPE_INVALID_METHOD' }],
  [
    'a head that is too large',
    `GET / HTTP/1.1\r\nHost: x\r\nX: ${SECRET.repeat(5000)}\r\n\r\n`,
    431,
    { method: null, url: null, reason: 'HPE_HEADER_OVERFLOW' },
  ],
  [
    'a head that never ends',
    `GET /?key=${SECRET} HTTP/1.1\r\nHost: x\r\n`,
    408,
    { method: null, url: null, reason: 'ERR_HTTP_REQUEST_TIMEOUT' },
  ],
  [
    'a request for a tunnel',
    `CONNECT key_${SECRET}:1 HTTP/1.1\r\nHost: x\r\n\r\n`,
    405,
    { method: 'CONNECT', url: '…:1' },
  ],
])(
  '%s is answered with the headers of every answer, logged once without what was sent, and counted',
  async (...row) => {
    const [, bytes, status, expected] = row;
    const server = await start();
    const response = await sendRaw(server.port, bytes);
    expect(response.status).toBe(status);
    const requestId = response.headers['x-request-id'];
    const usual = await sendRaw(server.port, requestText('/nothing', { Connection: 'close' }));
    const own = new Set(['allow', 'transfer-encoding']);
    const namesOf = ({ headers }: typeof usual) => Object.keys(headers).filter((name) => !own.has(name));
    expect(namesOf(response).sort()).toEqual(namesOf(usual).sort());
    const [line] = server.log.filter((each) => each['status'] === status);
    expect(line).toMatchObject({ reqId: requestId, ms: expect.any(Number), msg: 'answered' });
    expect(linesOf(server)).toEqual([
      { ...expected, status, msg: 'answered' },
      { method: 'GET', url: '/nothing', status: 404, msg: 'answered' },
    ]);
    expect(JSON.stringify(server.log)).not.toContain(SECRET);
    expect(await server.metrics.registry.metrics()).toContain(
      `modelstats_request_duration_seconds_count{route="unknown",status="${status}"} 1`,
    );
  },
);

test('a request whose body is not proper is logged once, with the answer that it got', async () => {
  const server = await start();
  const text = requestText('/quick', { 'Transfer-Encoding': 'chunked' }, { body: 'no chunk\r\n\r\n' });
  const response = await sendRaw(server.port, text);
  expect(response.status).toBe(400);
  expect(linesOf(server)).toEqual([
    { method: 'GET', url: '/quick', status: 400, reason: 'HPE_INVALID_CHUNK_SIZE', msg: 'answered' },
  ]);
});

test('a request for a tunnel is answered behind the requests before it', async () => {
  const server = await start();
  const text = requestText('/late', {}) + requestText('x:1', {}, { method: 'CONNECT' });
  const { all } = await sendRaw(server.port, text);
  expect([...all.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(['200', '405']);
  expect(linesOf(server).map(({ url, status }) => [url, status])).toEqual([
    ['/late', 200],
    ['x:1', 405],
  ]);
});

test('a request to change the protocol is answered in this one, and is the last of its connection', async () => {
  const server = await start();
  const upgrade = { Connection: 'Upgrade, HTTP2-Settings', Upgrade: 'h2c', 'HTTP2-Settings': '' };
  const sent = requestText('/quick', upgrade) + requestText('/late', {});
  // Longer than a test may take: it is the server that ends the connection.
  const { all, status, headers } = await sendRaw(server.port, sent, 120_000);
  expect([status, headers['connection'], all.endsWith('quick')]).toEqual([200, 'close', true]);
  expect(linesOf(server)).toEqual([{ method: 'GET', url: '/quick', status: 200, msg: 'answered' }]);
});

test('a client that asks for a tunnel and breaks its connection ends nothing but that', async () => {
  const server = await start();
  let ended = 0;
  server.app.server.on('connection', (connection) => connection.on('close', () => (ended += 1)));
  for (const text of ['', requestText('/late', {})]) {
    const socket = connect(server.port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(text + requestText('x:1', {}, { method: 'CONNECT' }));
    await once(server.app.server, 'connect');
    socket.resetAndDestroy();
  }
  await expect.poll(() => ended, { timeout: 5_000, interval: 10 }).toBe(2);
  expect((await sendRaw(server.port, requestText('/quick', { Connection: 'close' }))).status).toBe(200);
});

test('an answer that is longer than a connection holds arrives whole in front of a request for a tunnel', async () => {
  const blocks = Array.from({ length: 64 }, () => Buffer.alloc(1 << 18, 'x'));
  const { port } = await startServer(
    async (app) => void app.get('/large', async (_, reply) => reply.send(Readable.from(blocks))),
  );
  const { all } = await sendRaw(port, requestText('/large', {}) + requestText('x:1', {}, { method: 'CONNECT' }));
  expect(all.length).toBeGreaterThan(64 << 18);
  expect(all).toContain('HTTP/1.1 405');
});

describe('what the router can not read (specification "Order of checks")', () => {
  /** A server that admits nobody. */
  async function startClosed(): Promise<number> {
    const refusal = httpError('rate_limit_exceeded', 'who are you?');
    const guard = async () => ({
      admit: () => undefined,
      headersOf: () => ({}),
      onEnd: () => undefined,
      admitUnrouted: () => Promise.reject(refusal),
    });
    return (await startServer(async () => undefined, { guard, settings: { headersMax: 10 } })).port;
  }

  test.each([
    ['two hosts', 'GET /%zz HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n', 400],
    ['no host', 'GET /%zz HTTP/1.1\r\n\r\n', 400],
    ['too many header fields', `GET /%zz HTTP/1.1\r\nHost: x\r\n${'X: y\r\n'.repeat(10)}\r\n`, 431],
    ['a body that is too long', 'GET /%zz HTTP/1.1\r\nHost: x\r\nContent-Length: 65537\r\n\r\n', 413],
    ['nothing else wrong', 'GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n', 429],
  ])(
    'a path that is not properly encoded, with %s, is refused for that before anybody is asked who they are',
    async (_, text, status) => {
      expect((await sendRaw(await startClosed(), text)).status).toBe(status);
    },
  );

  test('the refusal has the headers of every answer', async () => {
    const { port } = await start();
    const [unread, unknown] = [
      await sendRaw(port, requestText('/%zz', {})),
      await sendRaw(port, requestText('/nothing', {})),
    ];
    expect(Object.keys(unread.headers).sort()).toEqual(Object.keys(unknown.headers).sort());
  });
});
