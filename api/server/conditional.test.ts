import { expect, onTestFinished, test, vi } from 'vitest';
import { etagWithEncoding, findDate, findMatchingEtag, findTagUnchanged, isUnchangedSince } from './conditional.ts';

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
