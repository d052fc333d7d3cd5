import { createHmac } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { FileLinks } from './files.ts';

const KEY = 'releases/2026-06-01.RUN/snapshot/models.jsonl.gz';
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
