import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readlinkSync } from 'node:fs';
import { appendFile, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { requestText, sendUnread } from '../../test/support/api/raw-request.ts';
import { openOwnApi, useApi } from '../../test/support/api/use-api.ts';
import { SAMPLE_DAYS } from '../../test/support/pipeline/sample-store.ts';
import { FileLinks } from './files.ts';

const api = useApi({ days: SAMPLE_DAYS.slice(0, 2), now: '2026-06-03T12:00:00Z' });
let address: URL;
/** Path and query of that. */
let signed: string;
let sha256: unknown;

beforeAll(async () => {
  const download = await api.json('/v1/snapshots/2026-06-02/download?dataset=models');
  address = new URL(String(download['url']));
  signed = address.pathname + address.search;
  ({ sha256 } = download);
});

/** As anybody would, without a key. */
const fetchFile = (url: string, headers: Record<string, string> = {}) =>
  api.app.inject({ method: 'GET', url, headers });

test('a part says which part of how much it is, and comes only of the file that If-Range names', async () => {
  const whole = (await fetchFile(signed)).rawPayload;
  const part = await fetchFile(signed, { range: 'bytes=3-9', 'if-range': `"${sha256}"` });
  expect([part.statusCode, part.headers['content-range'], part.headers['content-length']]).toEqual([
    206,
    `bytes 3-9/${whole.length}`,
    '7',
  ]);
  expect(part.rawPayload.equals(whole.subarray(3, 10))).toBe(true);
  for (const other of [`W/"${sha256}"`, '"x"', String(part.headers['last-modified'])]) {
    const all = await fetchFile(signed, { range: 'bytes=3-9', 'if-range': other });
    expect([other, all.statusCode, all.rawPayload.length]).toEqual([other, 200, whole.length]);
  }
  expect((await fetchFile(signed, { range: 'bytes=0-1,4-5' })).statusCode).toBe(200);
});

test('HEAD has the headers of GET, without the file', async () => {
  const [got, head] = [await fetchFile(signed), await api.app.inject({ method: 'HEAD', url: signed })];
  const steady = ({ 'x-request-id': _id, date: _date, ...rest }: Record<string, unknown>) => rest;
  expect([head.statusCode, head.body, steady(head.headers)]).toEqual([200, '', steady(got.headers)]);
});

test('a file that is not as long as it was published is not handed out', async () => {
  const damaged = await openOwnApi({ days: SAMPLE_DAYS.slice(0, 1), now: '2026-06-03T12:00:00Z' });
  const { url } = await damaged.json('/v1/snapshots/2026-06-01/download?dataset=models');
  const { pathname, search } = new URL(String(url));
  await appendFile(join(damaged.store.folder, pathname.replace('/files/', '')), 'x');
  const { statusCode, body } = await damaged.get(pathname + search);
  expect([statusCode, JSON.parse(body).error.code]).toEqual([500, 'internal_error']);
});

test('no file stays open, whatever was asked', async () => {
  const before = openFiles();
  for (const headers of [{}, { 'if-none-match': '*' }, { 'if-match': '"x"' }, { range: 'bytes=999999999-' }])
    await fetchFile(signed, headers);
  await api.app.inject({ method: 'HEAD', url: signed });
  const received = once(api.app.server, 'request');
  const socket = await sendUnread(await api.port(), requestText(signed, {}).repeat(20));
  await received;
  socket.resetAndDestroy();
  await expect.poll(openFiles).toEqual(before);
});

/** What of the store this process has open. */
function openFiles(): readonly string[] {
  return readdirSync('/proc/self/fd')
    .map((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`);
      } catch {
        return '';
      }
    })
    .filter((path) => path.endsWith('.gz'));
}

test.each([
  ['a range behind the end', { range: 'bytes=999999999-' }, 416, 'range_not_satisfiable'],
  ['another version of the file', { 'if-match': '"x"' }, 412, 'precondition_failed'],
])('%s is refused in the envelope', async (_, headers, status, code) => {
  const { length } = (await fetchFile(signed)).rawPayload;
  const { statusCode, headers: responseHeaders, body } = await fetchFile(signed, headers);
  expect([statusCode, JSON.parse(body).error.code]).toEqual([status, code]);
  expect(responseHeaders['content-range']).toBe(status === 416 ? `bytes */${length}` : undefined);
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
  const { status, body } = await api.send(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  expect([status, JSON.parse(body).error.code]).toEqual([403, 'signature_invalid']);
});

test('a date is asked about as on the routes of data: one in the future, which no answer can have said, is none', async () => {
  const future = new Date(api.clock.now().getTime() + 1000).toUTCString();
  expect((await fetchFile(signed, { 'if-modified-since': future })).statusCode).toBe(200);
  const [modified, before] = [new Date('2026-06-03T00:00:00Z'), 'Tue, 02 Jun 2026 00:00:00 GMT'];
  await utimes(
    join(api.store.folder, decodeURIComponent(address.pathname).slice('/files/'.length)),
    modified,
    modified,
  );
  expect((await fetchFile(signed, { 'if-modified-since': modified.toUTCString() })).statusCode).toBe(304);
  expect((await fetchFile(signed, { 'if-modified-since': before })).statusCode).toBe(200);
});

const KEY = 'releases/2026-06-01.RUN/snapshot/models.jsonl.gz';
describe('a signature', () => {
  let now: Date;
  let links: FileLinks;
  let parts: { readonly expires: string; readonly signature: string };

  beforeEach(() => {
    now = new Date('2026-06-11T12:00:00.900Z');
    links = new FileLinks('secret', () => now);
    const url = new URL(links.sign(KEY, { expiresInSeconds: 900 }), 'http://host');
    expect(url.pathname).toBe(`/files/${KEY}`);
    parts = {
      expires: url.searchParams.get('expires') ?? '',
      signature: url.searchParams.get('signature') ?? '',
    };
  });

  test('an address is good until its last second and not after it', () => {
    expect(links.isValid(KEY, parts.expires, parts.signature)).toBe(true);
    now = new Date('2026-06-11T12:14:59.999Z');
    expect(links.isValid(KEY, parts.expires, parts.signature)).toBe(true);
    now = new Date('2026-06-11T12:15:00Z');
    expect(links.isValid(KEY, parts.expires, parts.signature)).toBe(false);
  });

  test('an address is good for its key, its expiry and its secret only', () => {
    expect(links.isValid(KEY.replace('models', 'scores'), parts.expires, parts.signature)).toBe(false);
    expect(links.isValid(KEY, String(Number(parts.expires) + 1), parts.signature)).toBe(false);
    expect(links.isValid(KEY, `0${parts.expires}`, '')).toBe(false);
    expect(links.isValid(KEY, 'x', parts.signature)).toBe(false);
    expect(new FileLinks('other', () => now).isValid(KEY, parts.expires, parts.signature)).toBe(false);
  });

  test('no change to a signature is overlooked, in any of its characters or behind them', () => {
    for (let i = 0; i < parts.signature.length; i += 1) {
      const other = parts.signature[i] === 'A' ? 'B' : 'A';
      const altered = parts.signature.slice(0, i) + other + parts.signature.slice(i + 1);
      expect(links.isValid(KEY, parts.expires, altered)).toBe(false);
    }
    expect(links.isValid(KEY, parts.expires, `${parts.signature}!`)).toBe(false);
    expect(links.isValid(KEY, parts.expires, `${parts.signature}=`)).toBe(false);
  });

  test('a signature is the HMAC-SHA256 of key, newline and expiry, in base64url', () => {
    const expected = createHmac('sha256', 'secret').update(`${KEY}\n${parts.expires}`).digest('base64url');
    expect(parts).toEqual({ expires: String(Date.parse('2026-06-11T12:15:00Z') / 1000), signature: expected });
  });
});
