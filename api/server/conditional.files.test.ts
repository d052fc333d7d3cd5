import { expect, test } from 'vitest';
import { type FileFacts, type FileReply, replyFor } from './conditional.ts';

const FILE = { etag: 'abc', modifiedAt: new Date('2026-06-01T12:00:00.500Z'), bytes: 1000 };
const SAME = 'Mon, 01 Jun 2026 12:00:00 GMT';
const BEFORE = 'Mon, 01 Jun 2026 11:59:59 GMT';
const WHOLE: FileReply = { status: 200 };
const NOW = new Date('2026-06-02T00:00:00Z');
const replyTo = (method: string, headers: Record<string, string>, file: FileFacts = FILE) =>
  replyFor({ method, headers }, file, { now: NOW });
const part = (first: number, last: number): FileReply => ({ status: 206, range: { first, last } });

test.each<[string, Record<string, string>, FileReply]>([
  ['nothing', {}, WHOLE],
  ['a range', { range: 'bytes=10-19' }, part(10, 19)],
  ['the rest', { range: 'bytes=10-' }, part(10, 999)],
  ['the end', { range: 'bytes=-10' }, part(990, 999)],
  ['more than the end', { range: 'bytes=-5000' }, part(0, 999)],
  ['a range beyond the end', { range: 'bytes=990-5000' }, part(990, 999)],
  ['the last byte', { range: 'bytes=999-999' }, part(999, 999)],
  ['a range in another case', { range: 'Bytes=0-0' }, part(0, 0)],
  ['a range behind the end', { range: 'bytes=1000-' }, { status: 416 }],
  ['no bytes of the end', { range: 'bytes=-0' }, { status: 416 }],
  ['several ranges', { range: 'bytes=0-1,5-6' }, WHOLE],
  ['a thousand ranges', { range: `bytes=${'0-,'.repeat(1000)}0-` }, WHOLE],
  ['a range the wrong way round', { range: 'bytes=5-4' }, WHOLE],
  ['another unit', { range: 'lines=1-2' }, WHOLE],
  ['no range', { range: 'bytes=-' }, WHOLE],
  ['words', { range: 'bytes=a-b' }, WHOLE],
  ['If-Range with the tag', { range: 'bytes=0-1', 'if-range': '"abc"' }, part(0, 1)],
  ['If-Range with another tag', { range: 'bytes=0-1', 'if-range': '"x"' }, WHOLE],
  ['If-Range with a weak tag', { range: 'bytes=0-1', 'if-range': 'W/"abc"' }, WHOLE],
  ['If-Range with a date', { range: 'bytes=0-1', 'if-range': SAME }, WHOLE],
  ['If-Range of another file, behind the end', { range: 'bytes=5000-', 'if-range': '"x"' }, WHOLE],
  ['If-None-Match with the tag', { 'if-none-match': '"x", "abc"', range: 'bytes=0-1' }, { status: 304 }],
  ['If-None-Match with the tag, weak', { 'if-none-match': 'W/"abc"' }, { status: 304 }],
  ['If-None-Match *', { 'if-none-match': '*' }, { status: 304 }],
  ['If-None-Match with another tag', { 'if-none-match': '"x"', 'if-modified-since': SAME }, WHOLE],
  ['If-Modified-Since', { 'if-modified-since': SAME }, { status: 304 }],
  ['If-Modified-Since now', { 'if-modified-since': NOW.toUTCString() }, { status: 304 }],
  ['If-Modified-Since in the future', { 'if-modified-since': 'Tue, 02 Jun 2026 00:00:01 GMT' }, WHOLE],
  ['If-Modified-Since before', { 'if-modified-since': BEFORE }, WHOLE],
  ['If-Match with the tag', { 'if-match': '"x","abc"', range: 'bytes=0-1' }, part(0, 1)],
  ['If-Match *', { 'if-match': '*' }, WHOLE],
  ['If-Match with the tag, weak', { 'if-match': 'W/"abc"' }, { status: 412 }],
  ['If-Match with another tag, behind the end', { 'if-match': '"x"', range: 'bytes=5000-' }, { status: 412 }],
  ['If-Unmodified-Since', { 'if-unmodified-since': SAME }, WHOLE],
  ['If-Unmodified-Since before', { 'if-unmodified-since': BEFORE }, { status: 412 }],
  ['If-Unmodified-Since no date', { 'if-unmodified-since': 'yesterday' }, WHOLE],
  ['If-Match before If-Unmodified-Since', { 'if-match': '"abc"', 'if-unmodified-since': BEFORE }, WHOLE],
])('%s', (_, headers, reply) => {
  expect(replyTo('GET', headers)).toEqual(reply);
});

test('HEAD has no ranges, and the same conditions', () => {
  expect(replyTo('HEAD', { range: 'bytes=0-1' })).toEqual(WHOLE);
  expect(replyTo('HEAD', { 'if-none-match': '"abc"' })).toEqual({ status: 304 });
});

test('an empty file has no part', () => {
  const empty = { ...FILE, bytes: 0 };
  expect(replyTo('GET', { range: 'bytes=0-' }, empty)).toEqual({ status: 416 });
  expect(replyTo('GET', { range: 'bytes=-1' }, empty)).toEqual({ status: 416 });
  expect(replyTo('GET', {}, empty)).toEqual(WHOLE);
});

test('without a tag nothing matches, and If-Range gives all of it', () => {
  const untagged = { ...FILE, etag: undefined };
  expect(replyTo('GET', { 'if-match': '"abc"' }, untagged)).toEqual({ status: 412 });
  expect(replyTo('GET', { 'if-none-match': '"undefined"' }, untagged)).toEqual(WHOLE);
  expect(replyTo('GET', { 'if-range': '"undefined"', range: 'bytes=0-1' }, untagged)).toEqual(WHOLE);
});
