import { expect, test } from 'vitest';
import { emailFrom, normalisedEmail } from './person.ts';

test.each([
  ['  Ada@Example.COM ', 'ada@example.com'],
  ['ada+lists@mail.example.co.uk', 'ada+lists@mail.example.co.uk'],
  ["o'brien_x@example.com", "o'brien_x@example.com"],
])('%j is the person %j', (text, email) => {
  expect(normalisedEmail(text)).toBe(email);
});

test.each([
  '',
  'ada',
  'ada@',
  '@example.com',
  'ada@example',
  'a b@example.com',
  'ada@exam ple.com',
  'ada@example.com\nBcc: eve@example.com',
  'ada@example.com,eve@example.com',
  '<ada@example.com>',
  '"ada"@example.com',
  'ada@example..com',
  `${'a'.repeat(65)}@example.com`,
  `ada@${'a.'.repeat(126)}com`,
  'a'.repeat(1_000_000),
])('%j is no address of mail', (text) => {
  expect(normalisedEmail(text)).toBeUndefined();
  expect(() => emailFrom(text)).toThrow(/no address of mail/);
});
