import { expect, test } from 'vitest';
import { nextPath } from './people.ts';

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
