/** What the service makes of whatever is sent to it, over real connections. */
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { METHODS, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type RawResponse, requestText, sendUnread } from '../../test/support/api/raw-request.ts';
import { openOwnApi, useApi } from '../../test/support/api/use-api.ts';
import { publishFixtureDays, SAMPLE_DAYS } from '../../test/support/pipeline/sample-store.ts';
import { API_ERRORS, type ApiErrorCode, ErrorBodySchema } from './api-errors.ts';

const api = useApi({
  days: SAMPLE_DAYS.slice(0, 2),
  now: '2026-06-03T12:00:00Z',
  settings: { basePath: '/stats', requestTimeoutMs: 500 },
});
const CATEGORIES = '/stats/v1/categories';
const good = (headers: Record<string, string> = {}) => requestText(CATEGORIES, { ...api.headers, ...headers });

/** Sends a raw request, with the headers that every request needs. */
function send(target: string, headers: Record<string, string> = {}, more: Parameters<typeof requestText>[2] = {}) {
  return api.send(requestText(target, { ...api.headers, Connection: 'close', ...headers }, more));
}

function expectEnvelope({ status, headers, body }: RawResponse, code: ApiErrorCode): void {
  expect({ status, type: headers['content-type'], cache: headers['cache-control'] }).toEqual({
    status: API_ERRORS[code].status,
    type: 'application/json; charset=utf-8',
    cache: 'no-store',
  });
  const { error } = ErrorBodySchema.parse(JSON.parse(body));
  expect(error.code).toBe(code);
  expect(error.request_id).toBe(headers['x-request-id']);
  expect(error.help_url).toMatch(new RegExp(`/stats/docs/errors/${code}$`));
  expect(body).not.toMatch(/\bat .*:\d+:\d+|node_modules/);
}

test.each([
  ['the root', '/'],
  ['a route without the prefix', '/v1/models'],
  ['an unknown route under the prefix', '/stats/v1/nothing'],
  ['a slash too many', '/stats//v1/categories'],
  ['a slash at the end', '/stats/v1/categories/'],
  ['a slash at the end, where an id could be', '/stats/v1/models/'],
  ['other letters', '/stats/V1/categories'],
  ['an encoded slash', '/stats/v1%2Fcategories'],
  ['a semicolon', '/stats/v1;/categories'],
  ['dots that go up', '/stats/v1/../v1/categories'],
  ['encoded dots that go up', '/stats/v1/%2e%2e/v1/categories'],
  ['a file above the documentation', '/stats/docs/reference/static/../../../package.json'],
  ['a file above it, encoded', '/stats/docs/reference/static/%2e%2e/%2e%2e/package.json'],
  ['a file name with a NUL', '/stats/docs/reference/static/a%00b'],
  ['an error code that is a property of every object', '/stats/docs/errors/constructor'],
])('%s is not found', async (_, target) => {
  expectEnvelope(await send(target), 'not_found');
});

test.each([
  ['a byte that is not UTF-8', '/stats/v1/models/%FF'],
  ['a lone surrogate', '/stats/v1/models/%ED%A0%80'],
  ['a byte that is not UTF-8 in the query', '/stats/v1/models?q=%FF'],
  ['a lone surrogate in the query', '/stats/v1/models?q=%ED%A0%80'],
  ['a bare percent sign in the query', '/stats/v1/models?q=100%'],
  ['a name in the query', '/stats/v1/models?%FF=1'],
])('bad percent-encoding is a bad request: %s', async (_, target) => {
  expectEnvelope(await send(target), 'bad_request');
});

describe('methods', () => {
  const others = METHODS.filter((method) => !['GET', 'HEAD', 'CONNECT'].includes(method));

  test.each(others)('%s is refused on every kind of route, and GET named', async (method) => {
    for (const target of [
      CATEGORIES,
      '/stats/v1/models/x',
      '/stats/docs/reference',
      '/stats/files/x',
      '/stats/openapi.json',
    ]) {
      const answer = await api.app.inject({ method: method as 'POST', url: target, headers: api.headers });
      expect([answer.statusCode, answer.headers.allow, answer.json().error.code]).toEqual([
        405,
        'GET, HEAD',
        'method_not_allowed',
      ]);
    }
  });

  test.each([
    ['a small answer', CATEGORIES, {}],
    ['one that is compressed', '/stats/openapi.json', { 'Accept-Encoding': 'gzip' }],
    ['one of data that is compressed', '/stats/v1/models', { 'Accept-Encoding': 'gzip' }],
    ['a page', '/stats/docs/reference', {}],
    ['an error', '/stats/v1/models/none', {}],
    ['a refusal of parameters', '/stats/v1/models?limit=x', {}],
  ])('HEAD has the status and headers of GET, and no body: %s', async (_, target, headers) => {
    await send(target, headers); // So that both are at hand.
    const [got, head] = [await send(target, headers), await send(target, headers, { method: 'HEAD' })];
    // How the body is framed can't be said of one that isn't sent.
    const steady = ({ headers: { 'transfer-encoding': _framing, ...rest } }: RawResponse) => ({
      ...rest,
      date: '',
      'x-request-id': '',
    });
    expect([head.status, steady(head)]).toEqual([got.status, steady(got)]);
    expect(head.all.endsWith('\r\n\r\n')).toBe(true);
  });

  test('CONNECT, to a route or to another host, is refused', async () => {
    for (const target of [CATEGORIES, 'example.com:443']) {
      const answer = await send(target, {}, { method: 'CONNECT' });
      expectEnvelope(answer, 'method_not_allowed');
      expect(answer.headers['allow']).toBe('GET, HEAD');
    }
  });

  test('a body of whatever kind does not hide that the method is wrong', async () => {
    for (const type of ['text/xml', 'application/json', 'nonsense']) {
      const headers = { 'Content-Type': type, 'Content-Length': '5' };
      expectEnvelope(await send(CATEGORIES, headers, { method: 'POST', body: '{"a":' }), 'method_not_allowed');
    }
  });
});

describe('bodies', () => {
  test.each([
    ['two lengths of one body', { 'Content-Length': '5', 'Transfer-Encoding': 'chunked' }],
    ['a length that is no number', { 'Content-Length': 'x' }],
    ['a chunk without a length', { 'Transfer-Encoding': 'chunked' }],
  ])('%s is a bad request', async (_, headers) => {
    expectEnvelope(await send(CATEGORIES, headers, { body: 'zz\r\nhello\r\n0\r\n\r\n' }), 'bad_request');
  });
});

test('a client that does not read its answer keeps no old view open', async () => {
  const [first = '', second = ''] = SAMPLE_DAYS;
  const own = await openOwnApi({ days: [first] });
  // Nothing leaves the connection, as if the client took nothing.
  own.app.server.prependOnceListener('connection', (taken) => {
    Object.assign(taken, { _write: () => undefined, _writev: () => undefined });
  });
  const asked = once(own.app.server, 'request');
  const socket = connect(await own.port(), '127.0.0.1', () => socket.write(requestText('/v1/models', {})));
  onTestFinished(() => void socket.destroy());
  const [, response] = (await asked) as [unknown, ServerResponse]; // As the event has them.
  await expect.poll(() => response.writableEnded).toBe(true);
  const old = own.follower.current();
  await publishFixtureDays(own.store, [second]);
  await own.follower.refresh();
  expect(own.follower.release?.day).toBe(second);
  expect(response.writableFinished).toBe(false);
  expect(() => old.rows('SELECT json FROM meta')).toThrow('this view is closed');
});

/** Status and error code of every answer on the connection. */
async function responsesTo(bytes: string | Buffer): Promise<readonly string[]> {
  const { all } = await api.send(bytes);
  const answers = all.split(/(?=HTTP\/1\.1 )/);
  return answers.map((answer) => [answer.slice(9, 12), ...(/"code":"(\w+)"/.exec(answer)?.slice(1) ?? [])].join(' '));
}

test.each([
  ['the start of TLS', Buffer.from([0x16, 3, 1, 0, 200, 1, 0, 0])],
  ['the start of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['HTTP/0.9', `GET ${CATEGORIES}\r\n\r\n`],
  ['a NUL in the URL', 'GET /stats/v1/models/\0 HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['bytes beyond ASCII in the URL', Buffer.from('GET /stats/v1/models/\xff HTTP/1.1\r\nHost: x\r\n\r\n', 'latin1')],
])('%s: not HTTP, and told so', async (_, bytes) => {
  expect(await responsesTo(bytes)).toEqual(['400 bad_request']);
});

test.each([
  ['no Host', `GET ${CATEGORIES} HTTP/1.1\r\n\r\n`],
  ['two Hosts', `GET ${CATEGORIES} HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n`],
  ['an empty Host', `GET ${CATEGORIES} HTTP/1.1\r\nHost:\r\n\r\n`],
  ['markup', `GET ${CATEGORIES} HTTP/1.1\r\nHost: x"><script>\r\n\r\n`],
  ['a path', `GET /stats/nothing HTTP/1.1\r\nHost: evil.test/a?b=\r\n\r\n`],
])('a Host header that is none is refused, and never part of a link: %s', async (_, bytes) => {
  const { status, body } = await api.send(bytes);
  expect(status).toBe(400);
  expect(JSON.parse(body).error.help_url).toMatch(
    /^(http:\/\/(x|127\.0\.0\.1:\d+))?\/stats\/docs\/errors\/bad_request$/,
  );
});

test('HTTP/1.0 without a Host, as simple health checks speak it, is answered', async () => {
  expect((await api.send('GET /stats/health/live HTTP/1.0\r\n\r\n')).status).toBe(200);
});

test('headers of a proxy that is not trusted change no link', async () => {
  const headers = { 'X-Forwarded-Host': 'evil.test', 'X-Forwarded-Proto': 'javascript', Forwarded: 'host=evil.test' };
  const { body } = await api.send(requestText('/stats/nothing', { ...api.headers, ...headers }));
  expect(JSON.parse(body).error.help_url).toBe('http://api.test/stats/docs/errors/not_found');
});

test('more than a hundred headers are too many', async () => {
  const headers = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`X-${i}`, 'a']));
  expect(await responsesTo(good(headers(90)))).toEqual(['200']);
  expect(await responsesTo(good(headers(101)))).toEqual(['431 headers_too_large']);
  expect(await responsesTo(good(headers(2_100)))).toEqual(['431 headers_too_large']);
});

test('files of the documentation that are asked for and not read open none here', async () => {
  const opened = () => readdirSync('/proc/self/fd').length;
  const before = opened();
  const received = once(api.app.server, 'request');
  await sendUnread(await api.port(), requestText('/stats/docs/reference/static/scalar.js', {}).repeat(20));
  await received;
  // Answered behind them, on a connection of its own: whatever they open is open by now.
  expect((await api.send(good())).status).toBe(200);
  expect(opened() - before).toBeLessThanOrEqual(4);
});

test('requests sent at once are answered in their order', async () => {
  const wrong = requestText('/stats/nothing', api.headers);
  expect(await responsesTo(good() + wrong + good())).toEqual(['200', '404 not_found', '200']);
});

test('a body that nobody reads does not become the next request', async () => {
  const body = `GET /stats/nothing HTTP/1.1\r\nHost: x\r\n\r\n`;
  expect(await responsesTo(good({ 'Content-Length': String(body.length) }) + body + good())).toEqual(['200', '200']);
});

test('what is not HTTP after good requests takes no answer from them', async () => {
  expect(await responsesTo(`${good()}${good()}garbage\r\n\r\n`)).toEqual(['200', '200', '400 bad_request']);
});

test.each([
  ['Expect: 100-continue', { Expect: '100-continue' }, ['100', '200']],
  ['an expectation that nobody knows', { Expect: 'cake' }, ['200']],
  ['an encoding that nobody knows', { 'Accept-Encoding': 'zstd;q=9, identity;q=0' }, ['200']],
  ['a media type that there is not', { Accept: 'image/png' }, ['200']],
])('%s is answered', async (_, headers, statuses) => {
  expect(await responsesTo(good(headers))).toEqual(statuses);
});
