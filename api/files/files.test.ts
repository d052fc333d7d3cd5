import { createHash } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { listenOnPort } from '../../test/support/api/listen.ts';
import { sendRaw } from '../../test/support/api/raw-request.ts';
import { useApi } from '../../test/support/api/use-api.ts';
import { SAMPLE_DAYS } from '../../test/support/pipeline/sample-store.ts';

const api = useApi({ days: SAMPLE_DAYS.slice(0, 2), now: '2026-06-03T12:00:00Z' });
let port: number;
let address: URL;
let sha256: unknown;

beforeAll(async () => {
  port = await listenOnPort(api.app);
  const download = await api.json('/v1/snapshots/2026-06-02/download?dataset=models');
  address = new URL(String(download['url']));
  ({ sha256 } = download);
});

/** As anybody would, without a key. */
const fetchFile = (url: string, headers: Record<string, string> = {}) =>
  api.app.inject({ method: 'GET', url, headers });

test('a signed address gives the very file, whole or in ranges, to be kept by nobody', async () => {
  const { pathname, search } = address;
  const whole = await fetchFile(pathname + search);
  expect(createHash('sha256').update(whole.rawPayload).digest('hex')).toBe(sha256);
  expect(whole.headers['cache-control']).toBe('private, no-store');
  const rest = await fetchFile(pathname + search, { range: 'bytes=10-' });
  expect([rest.statusCode, rest.rawPayload.equals(whole.rawPayload.subarray(10))]).toEqual([206, true]);
});

test.each([
  ['a range behind the end', { range: 'bytes=999999999-' }, 416, 'range_not_satisfiable'],
  ['another version of the file', { 'if-match': '"x"' }, 412, 'precondition_failed'],
])('%s is refused in the envelope', async (_, headers, status, code) => {
  const { statusCode, body } = await fetchFile(address.pathname + address.search, headers);
  expect([statusCode, JSON.parse(body).error.code]).toEqual([status, code]);
});

test.each([
  ['no signature', (path: string) => path],
  ['another file', (path: string, query: string) => path.replace('models', 'scores') + query],
  ['a later expiry', (path: string, query: string) => path + query.replace(/expires=(\d+)/, 'expires=9$1')],
  ['a shorter signature', (path: string, query: string) => path + query.slice(0, -2)],
  ['a repeated signature', (path: string, query: string) => `${path}${query}&signature=x`],
  ['the catalog', () => '/files/catalog.json?expires=1&signature=x'],
  ['dots that go up', (path: string, query: string) => `/files/../${path}${query}`],
  ['encoded dots that go up', (_: string, query: string) => `/files/%2e%2e%2f%2e%2e%2fetc/passwd${query}`],
  ['a NUL', (path: string, query: string) => `${path}%00${query}`],
  ['nothing', () => '/files/'],
])('an address with %s is refused', async (_, alter) => {
  const target = alter(address.pathname, address.search);
  const { status, body } = await sendRaw(port, `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  expect([status, JSON.parse(body).error.code]).toEqual([403, 'signature_invalid']);
});
