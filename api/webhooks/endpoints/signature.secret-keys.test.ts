import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isAppError } from '../../../runtime/errors.ts';
import { SecretKeys } from './signature.ts';

const [OLD, NEW] = [randomBytes(32), randomBytes(32)];
const codeOf = (work: () => unknown) => {
  try {
    work();
    return 'opened';
  } catch (error) {
    return isAppError(error) ? error.code : 'other';
  }
};

test('what was sealed opens again, for its endpoint alone, and shows nothing of the secret', () => {
  const keys = new SecretKeys([OLD]);
  const sealed = keys.seal('whsec_abcdefgh', 'whe_1');
  expect(sealed).not.toMatch(/abcdefgh|whe_1/);
  expect(keys.open(sealed, 'whe_1')).toBe('whsec_abcdefgh');
  expect(codeOf(() => keys.open(sealed, 'whe_2'))).toBe('corrupt');
  expect(keys.seal('whsec_abcdefgh', 'whe_1')).not.toBe(sealed);
});

test('the first key seals, every key opens, and a key that is gone is told as configuration', () => {
  const sealed = new SecretKeys([OLD]).seal('whsec_x', 'whe_1');
  const both = new SecretKeys([NEW, OLD]);
  expect([both.open(sealed, 'whe_1'), both.isCurrent(sealed)]).toEqual(['whsec_x', false]);
  const resealed = both.seal('whsec_x', 'whe_1');
  expect(both.isCurrent(resealed)).toBe(true);
  const alone = new SecretKeys([NEW]);
  expect(alone.open(resealed, 'whe_1')).toBe('whsec_x');
  expect(codeOf(() => alone.open(sealed, 'whe_1'))).toBe('configuration');
});

test('a changed character never opens', () => {
  const keys = new SecretKeys([OLD]);
  const sealed = keys.seal(`whsec_${'k'.repeat(40)}`, 'whe_1');
  fc.assert(
    fc.property(fc.integer({ min: 0, max: sealed.length - 1 }), fc.constantFrom(...'.Az0_-'), (at, character) => {
      fc.pre(sealed[at] !== character);
      const changed = sealed.slice(0, at) + character + sealed.slice(at + 1);
      // The last character of base64url holds bits that mean nothing: what decodes alike is the same.
      fc.pre(
        Buffer.from(changed.split('.')[3] ?? '', 'base64url').compare(
          Buffer.from(sealed.split('.')[3] ?? '', 'base64url'),
        ) !== 0 || at < sealed.lastIndexOf('.'),
      );
      expect(codeOf(() => keys.open(changed, 'whe_1'))).not.toBe('opened');
    }),
    { numRuns: 300 },
  );
});
