/** What the router can't read is refused like anything else (specification "Order of checks"). */
import { expect, test } from 'vitest';
import { requestText, sendRaw } from '../../test/support/api/raw-request.ts';
import { startServer } from '../../test/support/server/start-server.ts';
import { httpError } from './errors/http-error.ts';

/** A server that admits nobody. */
async function start(): Promise<number> {
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
    expect((await sendRaw(await start(), text)).status).toBe(status);
  },
);

test('the refusal has the headers of every answer', async () => {
  const { port } = await startServer(async () => undefined);
  const [unread, unknown] = [
    await sendRaw(port, requestText('/%zz', {})),
    await sendRaw(port, requestText('/nothing', {})),
  ];
  expect(Object.keys(unread.headers).sort()).toEqual(Object.keys(unknown.headers).sort());
});
