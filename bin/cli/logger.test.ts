import { expect, test } from 'vitest';
import { lineRedactor } from './logger.ts';

const KEY = `msk_${'aB3'.repeat(14)}`;
const redact = lineRedactor({
  addresses: ['postgres://u:p%40ss%2Fword@host/db?password=in-the-query', 'redis://:red%22is!!@host', undefined],
  secrets: ['a signing "key" of ours', 'metrics-token-4711', undefined],
});

test.each([
  ['an API key', `no ${KEY} here`, 'no … here'],
  ['one that is percent-encoded', `see /?q=%6Dsk_${KEY.slice(4)}&a`, 'see /?q=…&a'],
  ['one that is encoded twice', `see /%256Dsk%255F${KEY.slice(4)} `, 'see /… '],
  ['a Referer', `{"referer":"http://x.test/?key=%25256Dsk_${KEY.slice(4)}"}`, '{"referer":"http://x.test/?key=…"}'],
  ['a bearer token', '{"authorization":"Bearer eyJ.a-b_c"}', '{"authorization":"Bearer …"}'],
  ["PostgreSQL's password", 'for p%40ss%2Fword and p@ss/word', 'for … and …'],
  ['a password in the query', 'password=in-the-query', 'password=…'],
  ["Redis' password, in JSON", JSON.stringify({ err: 'AUTH red"is!! failed' }), '{"err":"AUTH … failed"}'],
  ['the signing key', JSON.stringify({ a: 'a signing "key" of ours' }), '{"a":"…"}'],
  ['the token of the metrics', 'metrics-token-4711', '…'],
  ['nothing of the kind', '{"url":"/v1/models/%40cf%2Fa?limit=3"}', '{"url":"/v1/models/%40cf%2Fa?limit=3"}'],
])('a line of the log with %s is written without it', (_, line, written) => {
  expect(redact(line)).toBe(written);
});

test('the password of an address without a host is cut out, too', () => {
  const ofSocket = lineRedactor({
    addresses: ['postgres://u:through-the-socket@/db?host=/var/run/postgresql'],
    secrets: [],
  });
  expect(ofSocket('failed for through-the-socket')).toBe('failed for …');
});

test('a line of the log holds nothing that a terminal would obey', () => {
  const line = `${JSON.stringify({ err: '\u001b[2J \u009b2J \u202e \u007f' })}\n`;
  const written = redact(line);
  expect(written).toBe('{"err":"\\u001b[2J \\u009b2J \\u202e \\u007f"}\n');
  expect(JSON.parse(written)).toEqual(JSON.parse(line));
});
