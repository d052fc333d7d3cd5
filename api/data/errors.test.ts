import { METHODS } from 'node:http';
import { describe, expect, test } from 'vitest';
import { type RawAnswer, requestText } from '../../test/support/api/raw-request.ts';
import { useApi } from '../../test/support/api/use-api.ts';
import { SAMPLE_DAYS } from '../../test/support/pipeline/sample-store.ts';
import { API_ERRORS, type ApiErrorCode, ErrorBodySchema } from './api-errors.ts';

const api = useApi({
  days: SAMPLE_DAYS.slice(0, 2),
  now: '2026-06-03T12:00:00Z',
  settings: { basePath: '/stats', requestTimeoutMs: 500 },
});
const CATEGORIES = '/stats/v1/categories';

/** Sends a request as it is, with what a request needs beside what is told. */
function send(target: string, headers: Record<string, string> = {}, more: Parameters<typeof requestText>[2] = {}) {
  return api.send(requestText(target, { ...api.headers, Connection: 'close', ...headers }, more));
}

function expectEnvelope({ status, headers, body }: RawAnswer, code: ApiErrorCode): void {
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
  ['a slash too many at the start', '//stats/v1/categories'],
  ['a slash at the end', '/stats/v1/categories/'],
  ['a slash at the end, where an id could be', '/stats/v1/models/'],
  ['an empty id', '/stats/v1/models//history?kind=score'],
  ['other letters', '/stats/V1/categories'],
  ['an encoded slash', '/stats/v1%2Fcategories'],
  ['a semicolon', '/stats/v1;/categories'],
  ['dots that go up', '/stats/v1/../v1/categories'],
  ['encoded dots that go up', '/stats/v1/%2e%2e/v1/categories'],
  ['another scheme', 'ftp://api.test/stats/v1/categories'],
  ['a file above the documentation', '/stats/docs/reference/static/../../../package.json'],
  ['a file above it, encoded', '/stats/docs/reference/static/%2e%2e/%2e%2e/package.json'],
  ['a file above it, encoded slashes too', '/stats/docs/reference/static/..%2f..%2fpackage.json'],
  ['a file name with a NUL', '/stats/docs/reference/static/a%00b'],
  ['an error code that is a property of every object', '/stats/docs/errors/constructor'],
])('%s is not found', async (_, target) => {
  expectEnvelope(await send(target), 'not_found');
});

test.each([
  ['a byte that is not UTF-8', '/stats/v1/models/%FF'],
  ['an overlong form', '/stats/v1/models/%C0%80'],
  ['a lone surrogate', '/stats/v1/models/%ED%A0%80'],
  ['half an escape', '/stats/v1/models/%4'],
  ['a byte that is not UTF-8 in the query', '/stats/v1/models?q=%FF'],
  ['an overlong form in the query', '/stats/v1/models?q=%C0%80'],
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
    const steady = ({ headers: { 'transfer-encoding': _framing, ...rest } }: RawAnswer) => ({
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
    ['text', { 'Content-Length': '5' }, 'hello'],
    ['broken JSON', { 'Content-Type': 'application/json', 'Content-Length': '5' }, '{"a":'],
    ['an unknown kind', { 'Content-Type': 'a/b', 'Content-Length': '5' }, 'hello'],
    ['chunks', { 'Transfer-Encoding': 'chunked' }, '5\r\nhello\r\n0\r\n\r\n'],
  ])('a GET with %s is answered as without', async (_, headers, body) => {
    expect((await send(CATEGORIES, headers, { body })).status).toBe(200);
  });

  test('a body that is announced too large is refused at once', async () => {
    const answer = await send(CATEGORIES, { 'Content-Length': '100000000' }, { body: 'x'.repeat(100_000) });
    expectEnvelope(answer, 'payload_too_large');
  });

  test.each([
    ['two lengths of one body', { 'Content-Length': '5', 'Transfer-Encoding': 'chunked' }],
    ['a length that is no number', { 'Content-Length': 'x' }],
    ['a chunk without a length', { 'Transfer-Encoding': 'chunked' }],
  ])('%s is a bad request', async (_, headers) => {
    expectEnvelope(await send(CATEGORIES, headers, { body: 'zz\r\nhello\r\n0\r\n\r\n' }), 'bad_request');
  });
});
