import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { AppError } from '../../runtime/errors.ts';
import { requestText, sendRaw, sendUnread } from '../../test/support/api/raw-request.ts';
import { type StartedServer, type StartOptions, startServer } from '../../test/support/server/start-server.ts';

const endless = () =>
  new Readable({
    read() {
      this.push(Buffer.alloc(1 << 20));
    },
  });

/** A server whose `/late` responds on demand, and whose `/endless` never ends. */
async function start(options: StartOptions = {}) {
  const waiting: (() => void)[] = [];
  const server = await startServer(async (app) => {
    app.get('/quick', async () => 'quick');
    app.get('/late', async () => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      return 'late';
    });
    app.get('/endless', async (_, reply) => reply.send(endless()));
  }, options);
  return { ...server, waiting };
}

/** Sends requests, and hangs up without having read anything when `isTime`. */
async function askAndHangUp(port: number, targets: readonly string[], isTime: () => boolean): Promise<void> {
  const socket = await sendUnread(port, targets.map((target) => requestText(target, {})).join(''));
  await expect.poll(isTime, { timeout: 5_000, interval: 10 }).toBe(true);
  socket.destroy();
}

const linesOf = ({ log }: StartedServer) =>
  log.filter(({ status }) => status !== undefined).map(({ url, status, aborted }) => [url, status, aborted]);

test('requests are logged and counted, each once, those of a client that hung up and those that waited too', async () => {
  const server = await start();
  await askAndHangUp(server.port, ['/late?key=hunter2', '/quick', '/late'], () => server.waiting.length === 2);
  await expect.poll(() => linesOf(server).length).toBe(3);
  for (const go of server.waiting) go();
  await sendRaw(server.port, requestText('/quick', { Connection: 'close' }));
  expect(linesOf(server)).toEqual([
    ['/late?key=…', 499, true],
    ['/quick', 499, true],
    ['/late', 499, true],
    ['/quick', 200, undefined],
  ]);
  expect(server.log.filter(({ level }) => Number(level) >= 40)).toEqual([]);
  const counted = await server.metrics.registry.metrics();
  expect(counted).toContain('modelstats_request_duration_seconds_count{route="/late",status="499"} 2');
  expect(counted).toContain('modelstats_request_duration_seconds_count{route="/quick",status="499"} 1');
  expect(counted).toContain('modelstats_request_duration_seconds_count{route="/quick",status="200"} 1');
});

test('an answer that was begun is told apart', async () => {
  const server = await start();
  let isSent = false;
  server.app.server.prependListener('request', (_, response) => response.on('pipe', () => (isSent = true)));
  await askAndHangUp(server.port, ['/endless', '/quick'], () => isSent);
  await expect.poll(() => linesOf(server).length).toBe(2);
  expect(server.log.filter(({ aborted }) => aborted).map(({ url, hasBegun }) => [url, hasBegun])).toEqual([
    ['/endless', true],
    ['/quick', false],
  ]);
});

test('a client that was cut off since it did not read is told of as such', async () => {
  const server = await start({ settings: { sendTimeoutMs: 200, sendBytesMin: 1 << 20 } });
  await askAndHangUp(server.port, ['/endless'], () => linesOf(server).length === 1);
  expect(server.log.find(({ aborted }) => aborted)).toMatchObject({
    status: 499,
    reason: 'the client read its responses too slowly',
  });
});

test('why something is not available is in the log once, not with each request', async () => {
  let cause = 'the disk is full';
  const { app, log } = await startServer(async (scope) => {
    scope.get('/data', async () => {
      throw new AppError('unavailable', 'not now', { cause: new Error(cause) });
    });
  });
  for (let i = 0; i < 20; i += 1) expect((await app.inject('/data')).statusCode).toBe(503);
  cause = 'the disk is gone';
  for (let i = 0; i < 20; i += 1) await app.inject('/data');
  expect(log.filter(({ msg }) => msg === 'unavailable').length).toBe(2);
});
