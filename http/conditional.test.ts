import { expect, test } from 'vitest';
import { etagWithEncoding, findMatchingEtag, isUnchangedSince } from './conditional.ts';

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
