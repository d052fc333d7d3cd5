import fc from 'fast-check';
import { expect, test } from 'vitest';
import { requestTo } from '../../test/support/server/outbound-settings.ts';
import { openReceiver } from '../../test/support/server/use-outbound.ts';

const statusLine = fc.oneof(
  fc.integer({ min: 0, max: 1_100 }).map((status) => `HTTP/1.1 ${status} Told\r\n`),
  fc.constantFrom('HTTP/1.1 200\r\n', 'HTTP/1.0 200 OK\r\n', 'HTTP/2.0 200 OK\r\n', 'ICY 200 OK\r\n', '\r\n', ''),
  fc.constantFrom(
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nlink: a\r\n\r\nHTTP/1.1 200 OK\r\n',
    'HTTP/1.1 101 Switch\r\n',
  ),
);
const field = fc.oneof(
  fc.constantFrom(
    '__proto__: a',
    'constructor: a',
    'content-length: 3',
    'content-length: -1',
    'content-length: 99999999999',
  ),
  fc.constantFrom(
    'transfer-encoding: chunked',
    'transfer-encoding: gzip, chunked',
    'connection: close',
    'connection: upgrade',
  ),
  fc.constantFrom(
    'keep-alive: timeout=0',
    'keep-alive: timeout=99999999999',
    'upgrade: h2c',
    'location: https://[',
    'trailer: a',
  ),
  fc.tuple(fc.string(), fc.string({ unit: 'binary' })).map(([name, value]) => `${name}: ${value}`),
);
const body = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '3\r\nabc\r\n0\r\n\r\n',
    '3;a=b\r\nabc\r\n0\r\n__proto__: a\r\n\r\n',
    'ffffffffffffffffff\r\na',
    '-1\r\n\r\n',
    '0\r\n',
  ),
);
const answerText = fc
  .tuple(statusLine, fc.array(field, { maxLength: 6 }), body)
  .map(([line, fields, text]) => `${line}${fields.map((one) => `${one}\r\n`).join('')}\r\n${text}`);

test('whatever a receiver sends, the request ends as an answer or as a failure in its time', async () => {
  let sent = '';
  const { receiver, outbound } = await openReceiver(({ socket }) => void socket.end(sent, 'latin1'));
  const property = fc.asyncProperty(answerText, async (text) => {
    sent = text;
    const answer = await outbound.request(requestTo(receiver.url, { timeoutMs: 5_000, answerBytesMax: 100 }));
    expect(answer.durationMs).toBeLessThan(6_000);
    if (answer.kind === 'answer') expect([answer.status >= 200, answer.body.length <= 100]).toEqual([true, true]);
    else expect(answer.message).toMatch(/^127\.0\.0\.1:\d+ [a-z]/);
  });
  await fc.assert(property, { numRuns: 100 });
});
