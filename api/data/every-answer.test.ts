/** What every answer has, whoever asks for whatever (specification "Health and metrics"). */
import { decodeTime } from 'ulid';
import { expect, test } from 'vitest';
import { useApi } from '../../test/support/api/use-api.ts';
import { SAMPLE_DAYS } from '../../test/support/pipeline/sample-store.ts';

const api = useApi({
  days: SAMPLE_DAYS,
  accounts: {},
  settings: { metricsAccess: { token: undefined, isOpen: true } },
});
const DOWNLOAD = `/v1/snapshots/${SAMPLE_DAYS[2]}/download?dataset=models`;

/** Crockford's base 32, of 48 bits of time and 80 random ones. */
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** The address of a file, as a redirect tells it. */
async function fileUrl(): Promise<string> {
  const answer = await api.ask(api.accounts.customers.builder, `${DOWNLOAD}&redirect=true`);
  const { pathname, search } = new URL(String(answer.headers.location));
  return pathname + search;
}

interface Asked {
  readonly status: number;
  readonly url: string | (() => Promise<string>);
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'OPTIONS';
  readonly headers?: Readonly<Record<string, string>>;
  readonly isStranger?: boolean;
}

const PREFLIGHT = { 'access-control-request-method': 'GET' };
const MANY_HEADERS = Object.fromEntries(Array.from({ length: 120 }, (_, i) => [`x-${i}`, '1']));

test.each<readonly [what: string, asked: Asked]>([
  ['data', { status: 200, url: '/v1/models' }],
  ['data that are at hand', { status: 200, url: '/v1/models' }],
  ['the head of data', { status: 200, url: '/v1/models', method: 'HEAD' }],
  ['data that did not change', { status: 304, url: '/v1/models', headers: { 'if-none-match': '*' } }],
  ['a redirect', { status: 302, url: `${DOWNLOAD}&redirect=true` }],
  ['a file', { status: 200, url: fileUrl, isStranger: true }],
  ['the account', { status: 200, url: '/v1/account' }],
  ['a refused address', { status: 403, url: '/files/x?expires=1&signature=x', isStranger: true }],
  ['a refusal of parameters', { status: 422, url: '/v1/models?limit=0' }],
  ['a path that is not encoded', { status: 400, url: '/v1/models/%zz' }],
  ['such a path outside of the data', { status: 400, url: '/%zz', isStranger: true }],
  ['too many headers', { status: 431, url: '/v1/models', headers: MANY_HEADERS }],
  ['another method', { status: 405, url: '/v1/models', method: 'POST' }],
  ['a preflight', { status: 405, url: '/v1/models', method: 'OPTIONS', headers: PREFLIGHT }],
  ['a preflight without a key', { status: 401, url: '/v1/nothing', method: 'OPTIONS', isStranger: true }],
  ['no key', { status: 401, url: '/v1/models', isStranger: true }],
  ['an unknown route', { status: 404, url: '/nothing', isStranger: true }],
  ['/health/live', { status: 200, url: '/health/live', isStranger: true }],
  ['/health/ready', { status: 200, url: '/health/ready', isStranger: true }],
  ['/metrics', { status: 200, url: '/metrics', isStranger: true }],
  ['/openapi.json', { status: 200, url: '/openapi.json', isStranger: true }],
  ['the reference', { status: 200, url: '/docs/reference', isStranger: true }],
  ['a file of it', { status: 200, url: '/docs/reference/static/scalar.js', isStranger: true }],
  ['the pages of errors', { status: 200, url: '/docs/errors', isStranger: true }],
  ['one of them', { status: 200, url: '/docs/errors/not_found', isStranger: true }],
])('%s: an id of its own, a ULID of this moment, and the headers against misuse in browsers', async (_, asked) => {
  const { status, url: given, method = 'GET', headers: further = {}, isStranger = false } = asked;
  const url = typeof given === 'string' ? given : await given();
  const headers = { 'x-request-id': 'mine', 'request-id': 'mine', origin: 'https://app.test', ...further };
  const ask = () =>
    isStranger
      ? api.app.inject({ method, url, headers })
      : api.ask(api.accounts.customers.builder, url, { method, headers });
  const startedAt = Date.now();
  const [{ statusCode, headers: told }, other] = [await ask(), await ask()];
  expect(statusCode).toBe(status);
  const id = String(told['x-request-id']);
  expect(id).toMatch(ULID);
  expect(decodeTime(id)).toBeGreaterThanOrEqual(startedAt);
  expect(decodeTime(id)).toBeLessThanOrEqual(Date.now());
  expect(other.headers['x-request-id']).not.toBe(id);
  // No page of another site reads data.
  const shared = Object.keys(told).filter((name) => name.startsWith('access-control-'));
  if (url.startsWith('/v1')) expect(shared).toEqual([]);
  expect(told).toMatchObject({
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'SAMEORIGIN',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-site',
    'strict-transport-security': expect.stringContaining('max-age='),
  });
});
