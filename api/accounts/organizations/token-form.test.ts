import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { API_KEYS, base62FromNumber, lastFourOf } from './token-form.ts';

const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

test('a key has a prefix, 43 characters of 256 bits and 6 of a checksum that holds', () => {
  fc.assert(
    fc.property(bytes, (random) => {
      const key = API_KEYS.fromBytes(random);
      expect(key).toMatch(/^msk_[0-9A-Za-z]{49}$/);
      expect(API_KEYS.isProper(key)).toBe(true);
    }),
  );
});

test('base62 means the number it was made from', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), (number) => {
      const digits = [...base62FromNumber(number, 43)].map((character) => BigInt(ALPHABET.indexOf(character)));
      expect(digits).toHaveLength(43);
      expect(digits.reduce((sum, digit) => sum * 62n + digit, 0n)).toBe(number);
    }),
  );
});

test('one wrong character is noticed without a database', () => {
  const position = fc.integer({ min: 4, max: 52 });
  fc.assert(
    fc.property(bytes, position, fc.constantFrom(...ALPHABET), (random, at, character) => {
      const key = API_KEYS.fromBytes(random);
      const changed = `${key.slice(0, at)}${character}${key.slice(at + 1)}`;
      expect(API_KEYS.isProper(changed)).toBe(changed === key);
    }),
  );
});

test.each(['', 'msk_', 'x'.repeat(53), 'Bearer msk_', `msk_${'é'.repeat(49)}`, `msk_${'0'.repeat(10_000)}`])(
  '%j is no key',
  (text) => {
    expect(API_KEYS.isProper(text)).toBe(false);
  },
);

test('a key with anything around it is no key', () => {
  const key = API_KEYS.fromBytes(randomBytes(32));
  expect([` ${key}`, `${key}\n`, `${key} `, key.toLowerCase()].some((text) => API_KEYS.isProper(text))).toBe(false);
  expect(lastFourOf(key)).toBe(key.slice(49));
});
