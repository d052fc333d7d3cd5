import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  etagWithEncoding,
  type FileFacts,
  type FileReply,
  findDate,
  findMatchingEtag,
  findTagUnchanged,
  isUnchangedSince,
  replyFor,
} from './conditional.ts';

test.each([
  ['"abc"', '"abc"'],
  ['W/"abc"', '"abc"'],
  ['"other", W/"abc"', '"abc"'],
  ['"abc-gzip"', '"abc-gzip"'],
  [' "x","abc-br" ', '"abc-br"'],
])('If-None-Match %s has the tag, as %s', (header, tag) => {
  expect(findMatchingEtag(header, 'abc')).toBe(tag);
});

test.each([undefined, '', '*', 'abc', '"abcd"', '"ABC"', '"abc-zip"', '"ab', "'abc'"])(
  'If-None-Match %s has not',
  (header) => {
    expect(findMatchingEtag(header, 'abc')).toBeUndefined();
  },
);

test('an answer that is there is named by * too, and by nothing else that its tag is not', () => {
  expect(findTagUnchanged('*', 'abc')).toBe('"abc"');
  expect(findTagUnchanged('"x", W/"abc-gzip"', 'abc')).toBe('"abc-gzip"');
  for (const other of [undefined, '', '"*"', '*, "x"', '"x"']) expect(findTagUnchanged(other, 'abc')).toBeUndefined();
});

test('a tag says how the bytes are compressed', () => {
  expect(etagWithEncoding('"abc"', 'gzip')).toBe('"abc-gzip"');
});

test('unchanged since an instant, in whole seconds', () => {
  const at = new Date('2026-06-08T00:20:00.700Z');
  const now = new Date('2026-06-08T12:00:00Z');
  expect(isUnchangedSince('Mon, 08 Jun 2026 00:20:00 GMT', at, now)).toBe(true);
  expect(isUnchangedSince('Mon, 08 Jun 2026 00:20:01 GMT', at, now)).toBe(true);
  expect(isUnchangedSince('Mon, 08 Jun 2026 00:19:59 GMT', at, now)).toBe(false);
  expect(isUnchangedSince('Mon, 08 Jun 2026 12:00:00 GMT', at, now)).toBe(true);
  expect(isUnchangedSince('Mon, 08 Jun 2026 12:00:01 GMT', at, now)).toBe(false);
  expect(isUnchangedSince('yesterday', at, now)).toBe(false);
  expect(isUnchangedSince(undefined, at, now)).toBe(false);
});

test.each(['America/New_York', 'Asia/Tokyo'])(
  'a date in any of its three forms is one of UTC, also where the clock is that of %s',
  (zone) => {
    vi.stubEnv('TZ', zone);
    onTestFinished(() => void vi.unstubAllEnvs());
    const at = Date.parse('2026-06-08T00:20:01Z');
    for (const form of ['Mon, 08 Jun 2026 00:20:01 GMT', 'Monday, 08-Jun-26 00:20:01 GMT', 'Mon Jun  8 00:20:01 2026'])
      expect(findDate(form), form).toBe(at);
    for (const none of ['Mon foo 00:20:01', '2026-06-08T00:20:01Z', 'Mon, 08 Jun 2026 00:20:01', ''])
      expect(findDate(none), none).toBeUndefined();
  },
);

describe('a file', () => {
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
});
