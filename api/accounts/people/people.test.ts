import { APIError } from 'better-auth/api';
import { expect, test } from 'vitest';
import { nextPath } from './people.ts';
import { emailFrom, normalisedEmail } from './person.ts';
import { orRefused } from './sign-in/auth.ts';

const PLACE = { publicUrl: 'https://stats.example.com', home: '/console' };

test.each(['/console', '/console/', '/console/usage?days=7', '/console/models/a%2Fb', '/console?x=//evil.example'])(
  'people get to %s, where they wanted to',
  (path) => {
    expect(nextPath(path, PLACE)).toBe(path);
  },
);

test.each([
  undefined,
  '',
  'console',
  'https://evil.example/console',
  'https://stats.example.com/console',
  '//evil.example/console',
  '/\\evil.example/console',
  '\\\\evil.example/console',
  '/\t/evil.example/console',
  '/console/../v1/models',
  '/console/%2e%2e/v1/models',
  '/consoles',
  '/v1/models',
  'javascript:alert(1)',
  '/console//evil.example',
  '/console/..//evil.example',
  `/console/${'x'.repeat(4000)}`,
])('nobody is sent to %j: it becomes the first page', (path) => {
  expect(nextPath(path, PLACE)).toBe('/console');
});

test('a base path belongs to the console’s paths', () => {
  const place = { publicUrl: 'https://example.com/stats', home: '/console' };
  expect(nextPath('/stats/console/keys', place)).toBe('/stats/console/keys');
  expect(nextPath('/console/keys', place)).toBe('/stats/console');
});

test('what ends a line never gets into a header', () => {
  expect(nextPath('/console/a\r\nSet-Cookie: x=1', PLACE)).not.toMatch(/[\r\n]/);
});

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
  expect(() => emailFrom(text)).toThrow(/not an email address/);
});

test('what better-auth refuses is no session; what fails within it fails here as well', async () => {
  const endWith = (status: 'UNAUTHORIZED' | 'INTERNAL_SERVER_ERROR') =>
    orRefused(() => Promise.reject(new APIError(status)));
  expect(await endWith('UNAUTHORIZED')).toBeUndefined();
  await expect(endWith('INTERNAL_SERVER_ERROR')).rejects.toMatchObject({ statusCode: 500 });
});
