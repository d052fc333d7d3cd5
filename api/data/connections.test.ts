import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { requestText, sendUnread } from '../../test/support/api/raw-request.ts';
import { useApi } from '../../test/support/api/use-api.ts';
import { SAMPLE_DAYS } from '../../test/support/pipeline/sample-store.ts';

const api = useApi({ days: SAMPLE_DAYS.slice(0, 2), now: '2026-06-03T12:00:00Z', settings: { requestTimeoutMs: 500 } });
const ROUTE = '/v1/categories';
const good = (headers: Record<string, string> = {}) => requestText(ROUTE, { ...api.headers, ...headers });

/** Status and error code of every answer on the connection. */
async function answersTo(bytes: string | Buffer): Promise<readonly string[]> {
  const { all } = await api.send(bytes);
  const answers = all.split(/(?=HTTP\/1\.1 )/);
  return answers.map((answer) => [answer.slice(9, 12), ...(/"code":"(\w+)"/.exec(answer)?.slice(1) ?? [])].join(' '));
}

test.each([
  ['words', 'hello\r\n\r\n'],
  ['the start of TLS', Buffer.from([0x16, 3, 1, 0, 200, 1, 0, 0])],
  ['the start of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['a version that is none', `GET ${ROUTE} HTTP/3.7\r\nHost: x\r\n\r\n`],
  ['HTTP/0.9', `GET ${ROUTE}\r\n\r\n`],
  ['bare line feeds', `GET ${ROUTE} HTTP/1.1\nHost: x\n\n`],
  ['a folded header', `GET ${ROUTE} HTTP/1.1\r\nHost: x\r\nX: a\r\n b\r\n\r\n`],
  ['a header without a name', `GET ${ROUTE} HTTP/1.1\r\nHost: x\r\n: a\r\n\r\n`],
  ['a NUL in the URL', 'GET /v1/models/\0 HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['bytes beyond ASCII in the URL', Buffer.from('GET /v1/models/\xff HTTP/1.1\r\nHost: x\r\n\r\n', 'latin1')],
])('%s: not HTTP, and told so', async (_, bytes) => {
  expect(await answersTo(bytes)).toEqual(['400 bad_request']);
});

test.each([
  ['no Host', `GET ${ROUTE} HTTP/1.1\r\n\r\n`],
  ['two Hosts', `GET ${ROUTE} HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n`],
  ['an empty Host', `GET ${ROUTE} HTTP/1.1\r\nHost:\r\n\r\n`],
  ['markup', `GET ${ROUTE} HTTP/1.1\r\nHost: x"><script>\r\n\r\n`],
  ['a path', `GET /nothing HTTP/1.1\r\nHost: evil.test/a?b=\r\n\r\n`],
  ['a user', `GET /nothing HTTP/1.1\r\nHost: api.test@evil.test\r\n\r\n`],
  ['spaces', `GET /nothing HTTP/1.1\r\nHost: a b\r\n\r\n`],
])('a Host header that is none is refused, and never part of a link: %s', async (_, bytes) => {
  const { status, body } = await api.send(bytes);
  expect(status).toBe(400);
  expect(JSON.parse(body).error.help_url).toMatch(/^(http:\/\/(x|127\.0\.0\.1:\d+))?\/docs\/errors\/bad_request$/);
});

test('HTTP/1.0 without a Host, as simple health checks speak it, is answered', async () => {
  expect((await api.send('GET /health/live HTTP/1.0\r\n\r\n')).status).toBe(200);
});

test('headers of a proxy that is not trusted change no link', async () => {
  const headers = { 'X-Forwarded-Host': 'evil.test', 'X-Forwarded-Proto': 'javascript', Forwarded: 'host=evil.test' };
  const { body } = await api.send(requestText('/nothing', { ...api.headers, ...headers }));
  expect(JSON.parse(body).error.help_url).toBe('http://api.test/docs/errors/not_found');
});

test('headers, or a URL, beyond 16 KiB are too large', async () => {
  expect(await answersTo(good({ X: 'a'.repeat(20_000) }))).toEqual(['431 headers_too_large']);
  const long = requestText(`${ROUTE}?${'a'.repeat(20_000)}`, api.headers);
  expect(await answersTo(long)).toEqual(['431 headers_too_large']);
});

test('more than a hundred headers are too many', async () => {
  const headers = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`X-${i}`, 'a']));
  expect(await answersTo(good(headers(90)))).toEqual(['200']);
  expect(await answersTo(good(headers(101)))).toEqual(['431 headers_too_large']);
  expect(await answersTo(good(headers(2_100)))).toEqual(['431 headers_too_large']);
});

test('files of the documentation that are asked for and not read open none here', async () => {
  const opened = () => readdirSync('/proc/self/fd').length;
  const before = opened();
  const received = once(api.app.server, 'request');
  await sendUnread(await api.port(), requestText('/docs/reference/static/scalar.js', {}).repeat(20));
  await received;
  // Answered behind them, on a connection of its own: whatever they open is open by now.
  expect((await api.send(good())).status).toBe(200);
  expect(opened() - before).toBeLessThanOrEqual(4);
});

test('a request that does not arrive whole in time is told so', async () => {
  expect(await answersTo(`GET ${ROUTE} HTTP/1.1\r\nHost: x\r\n`)).toEqual(['408 request_timeout']);
  expect(await answersTo(`POST ${ROUTE} HTTP/1.1\r\nHost: x\r\nContent-Le`)).toEqual(['408 request_timeout']);
});

test('requests sent at once are answered in their order', async () => {
  const wrong = requestText('/nothing', api.headers);
  expect(await answersTo(good() + wrong + good())).toEqual(['200', '404 not_found', '200']);
});

test('a body that nobody reads does not become the next request', async () => {
  const body = `GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n`;
  expect(await answersTo(good({ 'Content-Length': String(body.length) }) + body + good())).toEqual(['200', '200']);
});

test('what is not HTTP after good requests takes no answer from them', async () => {
  expect(await answersTo(`${good()}${good()}garbage\r\n\r\n`)).toEqual(['200', '200', '400 bad_request']);
});

test.each([
  ['Expect: 100-continue', { Expect: '100-continue' }, ['100', '200']],
  ['an expectation that nobody knows', { Expect: 'cake' }, ['200']],
  ['an upgrade to something else', { Connection: 'Upgrade', Upgrade: 'websocket' }, ['200']],
  ['an encoding that nobody knows', { 'Accept-Encoding': 'zstd;q=9, identity;q=0' }, ['200']],
  ['a media type that there is not', { Accept: 'image/png' }, ['200']],
])('%s is answered', async (_, headers, statuses) => {
  expect(await answersTo(good(headers))).toEqual(statuses);
});

test('a request that comes while the service closes is answered, or not at all', async () => {
  const late: string[] = [];
  const socket = connect(await api.port(), '127.0.0.1', () => socket.write(good()));
  socket.on('data', (chunk) => late.push(String(chunk)));
  socket.on('error', () => undefined);
  await once(api.app.server, 'request');
  const closing = api.app.close();
  setImmediate(() => socket.write(good()));
  await Promise.all([closing, once(socket, 'close')]);
  const statuses = [...late.join('').matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
  expect(statuses.length).toBeGreaterThan(0);
  expect(new Set(statuses)).toEqual(new Set(['200']));
});
