import fc from 'fast-check';
import { decodeTime, isValid } from 'ulid';
import { expect, test } from 'vitest';
import { newId, ulidFromParts } from './ulid.ts';

const AT = new Date('2026-06-02T00:20:00.123Z');

test('an id is a ULID of its instant, the same for the same words and no others', () => {
  const words = fc.array(fc.oneof(fc.string(), fc.nat()), { maxLength: 5 });
  const seen = new Map<string, string>();
  fc.assert(
    fc.property(words, (parts) => {
      const id = ulidFromParts(AT, parts);
      expect(isValid(id)).toBe(true);
      expect(decodeTime(id)).toBe(AT.getTime());
      expect(ulidFromParts(AT, [...parts])).toBe(id);
      expect(seen.get(id) ?? JSON.stringify(parts)).toBe(JSON.stringify(parts));
      seen.set(id, JSON.stringify(parts));
    }),
    { numRuns: 2_000 },
  );
});

test('words that run together give other ids', () => {
  expect(ulidFromParts(AT, ['ab', 'c'])).not.toBe(ulidFromParts(AT, ['a', 'bc']));
  expect(ulidFromParts(AT, ['1'])).not.toBe(ulidFromParts(AT, [1]));
});

test('new ids sort in the order in which they were made, whatever their prefix was before', () => {
  const made = Array.from({ length: 1_000 }, () => [newId('audit'), newId('org')]);
  const audits = made.map(([audit]) => audit);
  expect(audits.toSorted()).toEqual(audits);
  expect(new Set(made.flat().map((id) => id?.split('_')[1])).size).toBe(2_000);
});
