import { once } from 'node:events';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { describe, expect, onTestFinished, test } from 'vitest';
import { requestText, sendRaw, sendUnread } from '../../test/support/api/raw-request.ts';
import { startServer } from '../../test/support/server/start-server.ts';
import { finishResponses } from './connections.ts';

const BLOCK = Buffer.alloc(1 << 20, 'x');

/** A stream of so many MiB; without a number, one that nobody can read to its end. */
function streamOf(blocks = Number.POSITIVE_INFINITY): Readable {
  let given = 0;
  return new Readable({
    read() {
      given += 1;
      this.push(given > blocks ? null : BLOCK);
    },
  });
}

/** A route whose answer never ends; what it sends is kept for the test to look at. */
function addEndless(app: FastifyInstance, sent: Readable[]): void {
  app.get('/endless', async (_, reply) => {
    const stream = streamOf();
    sent.push(stream);
    return reply.header('Content-Type', 'application/octet-stream').send(stream);
  });
}

/** Whether a connection has ended, of those that come from now on. */
function watchEnd(app: FastifyInstance): () => boolean {
  let isEnded = false;
  app.server.on('connection', (connection) => connection.on('close', () => (isEnded = true)));
  return () => isEnded;
}

async function isRefused(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  return once(socket, 'connect').then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === 'ECONNREFUSED',
  );
}

/** What Node warns of until the test is over, such as listeners that pile up. */
function collectWarnings(): readonly Error[] {
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => void warnings.push(warning);
  process.on('warning', onWarning);
  onTestFinished(() => void process.off('warning', onWarning));
  return warnings;
}

async function until(isTrue: () => boolean): Promise<void> {
  await expect.poll(isTrue, { timeout: 5_000, interval: 10 }).toBe(true);
}

describe('requests sent ahead (specification "Connections")', () => {
  test('beyond what may wait they are left unanswered, and the last answer says so', async () => {
    let handled = 0;
    const { port } = await startServer(
      async (app) => {
        app.get('/', async () => {
          handled += 1;
          return { handled };
        });
      },
      { settings: { pipelinedMax: 4 } },
    );
    const { all } = await sendRaw(port, requestText('/', {}).repeat(60));
    const answers = all.split(/(?=HTTP\/1\.1 )/);
    expect(answers.map((response) => response.slice(9, 12))).toEqual(Array(5).fill('200'));
    expect(answers.map((response) => /^connection: (\S+)/im.exec(response)?.[1])).toEqual([
      ...Array(4).fill('keep-alive'),
      'close',
    ]);
    expect(handled).toBe(5);
  });

  test('a connection may be used for any number of requests, one after the other', async () => {
    const { port } = await startServer(async (app) => void app.get('/', async () => 'x'), {
      settings: { pipelinedMax: 1 },
    });
    const socket = connect(port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    for (let i = 0; i < 20; i += 1) {
      socket.write(requestText('/', {}));
      expect(String((await once(socket, 'data'))[0])).toContain('200 OK');
    }
  });

  test('hold few answers while nobody reads, and none when the connection has ended', async () => {
    const sent: Readable[] = [];
    const { port } = await startServer(async (app) => addEndless(app, sent), { settings: { pipelinedMax: 8 } });
    const socket = await sendUnread(port, requestText('/endless', {}).repeat(200));
    await until(() => sent.length === 9);
    expect(sent.filter(({ destroyed }) => destroyed)).toEqual([]);
    socket.destroy();
    await until(() => sent.every(({ destroyed }) => destroyed));
    expect(sent.length).toBe(9);
  });

  test('an answer that is made after its connection ended is closed, not kept', async () => {
    const sent: Readable[] = [];
    const waiting: (() => void)[] = [];
    const { app, port } = await startServer(async (scope) => {
      scope.addHook('preHandler', () => new Promise<void>((resolve) => waiting.push(resolve)));
      addEndless(scope, sent);
    });
    const isEnded = watchEnd(app);
    const socket = await sendUnread(port, requestText('/endless', {}).repeat(3));
    await until(() => waiting.length === 3);
    socket.destroy();
    await until(isEnded);
    for (const go of waiting) go();
    await until(() => sent.length === 3 && sent.every(({ destroyed }) => destroyed));
  });
});

describe('a client that asks and does not read (specification "Connections")', () => {
  // A block is one that a client may take in no more than that time.
  const settings = { sendTimeoutMs: 400, sendBytesMin: BLOCK.length };

  test('is cut off, with all that it has asked for', async () => {
    const sent: Readable[] = [];
    const { app, port } = await startServer(async (scope) => addEndless(scope, sent), { settings });
    const isEnded = watchEnd(app);
    const startedAt = performance.now();
    await sendUnread(port, requestText('/endless', {}).repeat(3));
    await until(isEnded);
    expect(performance.now() - startedAt).toBeGreaterThan(400);
    await until(() => sent.length === 3 && sent.every(({ destroyed }) => destroyed));
  });

  test('is cut off even if it goes on sending', async () => {
    const { app, port } = await startServer(async (scope) => addEndless(scope, []), { settings });
    const warnings = collectWarnings();
    const isEnded = watchEnd(app);
    const socket = await sendUnread(port, requestText('/endless', {}));
    const timer = setInterval(() => socket.write('G'), 20);
    onTestFinished(() => clearInterval(timer));
    await until(isEnded);
    expect(warnings).toEqual([]);
  });

  test('is cut off within a block too, after four times the deadline, however large the block is', async () => {
    const { app, port } = await startServer(
      async (scope) => void scope.get('/block', async (_, reply) => reply.send(Buffer.alloc(32 << 20))),
      { settings: { sendTimeoutMs: 100, sendBytesMin: 1024 } }, // At that pace the block takes an hour.
    );
    const isEnded = watchEnd(app);
    const startedAt = performance.now();
    await sendUnread(port, requestText('/block', {}));
    await until(isEnded);
    expect(performance.now() - startedAt).toBeGreaterThan(400);
  });

  test('gets everything if it only reads slowly, for longer than the deadline', async () => {
    const MEGABYTES = 24;
    // So long that a busy machine does not keep the client from reading for all of it.
    const patient = { sendTimeoutMs: 1_500, sendBytesMin: 1024 };
    const { port } = await startServer(
      async (app) => void app.get('/large', async (_, reply) => reply.send(streamOf(MEGABYTES))),
      { settings: patient },
    );
    const socket = await sendUnread(port, requestText('/large', { Connection: 'close' }));
    let bytes = 0;
    const startedAt = performance.now();
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      socket.pause();
    });
    const timer = setInterval(() => socket.resume(), 10);
    onTestFinished(() => clearInterval(timer));
    await once(socket, 'close');
    expect(bytes).toBeGreaterThanOrEqual(MEGABYTES << 20);
    expect(performance.now() - startedAt).toBeGreaterThan(2 * patient.sendTimeoutMs);
  });

  test('is not cut off while the service itself takes its time', async () => {
    const { port } = await startServer(
      async (app) =>
        void app.get('/late', async () => {
          await new Promise((resolve) => setTimeout(resolve, 3 * settings.sendTimeoutMs));
          return 'late';
        }),
      { settings },
    );
    const { status } = await sendRaw(port, requestText('/late', { Connection: 'close' }));
    expect(status).toBe(200);
  });
});

describe('a connection on which nothing more can come', () => {
  test('is ended by the server if what came is no HTTP or asks for a tunnel, whether or not the client ends it', () =>
    Promise.all([endsAfter('hello\r\n\r\n', '400'), endsAfter('CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n', '405')]));

  async function endsAfter(bytes: string, status: string): Promise<void> {
    const { app, port } = await startServer(async () => undefined);
    const isEnded = watchEnd(app);
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => undefined);
    socket.write(bytes);
    expect(String((await once(socket, 'data'))[0])).toContain(`HTTP/1.1 ${status}`);
    const answeredAt = performance.now();
    await until(isEnded);
    // Two seconds, so that the answer can be read; a busy machine may be late.
    expect(performance.now() - answeredAt).toBeGreaterThan(1_800);
  }
});

describe('a client that takes its time', () => {
  const settings = { headersTimeoutMs: 300, requestTimeoutMs: 900, keepAliveTimeoutMs: 300 };
  const start = () => startServer(async (app) => void app.get('/', async () => 'x'), { settings });

  /** Sends a text, and then a part of more again and again, until the server has ended the connection: what it answered. */
  async function sendSlowly(port: number, text: string, more: string): Promise<readonly string[]> {
    const socket = connect(port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    let all = '';
    socket.on('data', (chunk) => {
      all += String(chunk);
    });
    socket.on('error', () => undefined);
    socket.write(text);
    const timer = setInterval(() => socket.write(more), 20);
    await once(socket, 'close');
    clearInterval(timer);
    return [...all.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => String(status));
  }

  test('over the head of its request is told so after the time for heads', async () => {
    const { port } = await start();
    expect(await sendSlowly(port, 'GET / HTTP/1.1\r\nHost: x\r\n', 'X: y\r\n')).toEqual(['408']);
  });

  test('over the body of its request does not hold the connection for longer than a request may take', async () => {
    const { port } = await start();
    const send = (head: string, part: string) => sendSlowly(port, `GET / HTTP/1.1\r\nHost: x\r\n${head}\r\n\r\n`, part);
    await Promise.all([send('Content-Length: 60000', 'x'), send('Transfer-Encoding: chunked', '1\r\nx\r\n')]);
  });

  test('over its next request is not waited for', async () => {
    const { app, port } = await start();
    expect(app.server.keepAliveTimeout).toBe(300);
    const answers = await Promise.all([sendSlowly(port, '', ''), sendSlowly(port, requestText('/', {}), '')]);
    expect(answers).toEqual([['408'], ['200']]); // The first never sent a request.
  });
});

describe('a server that is closed', () => {
  test('sends to its end what it has begun, also to who reads slowly, and takes nobody else', async () => {
    const body = Buffer.alloc(32 << 20, 'x'); // More than all buffers on the way hold.
    const { app, port } = await startServer(async (server) => {
      server.get('/', async (_, reply) => reply.header('Content-Type', 'application/octet-stream').send(body));
    });
    const socket = await sendUnread(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await until(() => socket.readableLength > 0);
    const ended = once(socket, 'close');
    let isClosed = false;
    const closed = finishResponses(app.server).then(async () => {
      await app.close();
      isClosed = true;
    });
    await expect.poll(() => isRefused(port)).toBe(true);
    await sleep(100);
    expect(isClosed).toBe(false);
    let received = 0;
    socket.on('data', (part: Buffer) => {
      received += part.length;
    });
    socket.resume();
    await Promise.all([ended, closed]);
    expect(received).toBeGreaterThan(body.length);
  });

  test('answers what comes meanwhile on a connection that is still in use', async () => {
    const gate = Promise.withResolvers<void>();
    const { app, port } = await startServer(async (server) => void server.get('/', () => gate.promise.then(() => 'x')));
    const first = once(app.server, 'request');
    const socket = await sendUnread(port, requestText('/', {}));
    await first;
    const closed = app.close();
    await expect.poll(() => isRefused(port)).toBe(true);
    const second = once(app.server, 'request');
    socket.write(requestText('/', {}));
    await second;
    gate.resolve();
    expect((await textOf(socket)).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
    await closed;
  });
});
