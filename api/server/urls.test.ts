import type { FastifyRequest } from 'fastify';
import { describe, expect, test } from 'vitest';
import { baseUrlFrom, isHost } from './urls.ts';

test.each(['api.test', 'my_service', '127.0.0.1:80', '[::1]', '[2001:db8::1]:443', 'xn--bcher-kva.example'])(
  '%s is a host',
  (host) => {
    expect(isHost(host)).toBe(true);
  },
);

test.each([
  '',
  ' ',
  'a/b',
  'user@host',
  '"><script>',
  'a,b',
  'a:b',
  '::1',
  'a\r\nX: b',
  'bücher.example',
  '-a',
  'a:99999',
  'a.1',
  '256.1.1.1',
  '[1:2]',
  'a'.repeat(300),
])('«%s» is no host', (host) => {
  expect(isHost(host)).toBe(false);
});

describe('the base URL', () => {
  const socket = { localAddress: '::1', localPort: 8080 };
  /** As Fastify tells it, which believes whatever a trusted proxy passes on. */
  const request = (host: string, protocol = 'http') => ({ host, protocol, socket }) as unknown as FastifyRequest;
  const baseUrlOf = baseUrlFrom({ publicUrl: undefined, basePath: '/stats' });

  test.each([
    ['what the request names', request('api.test', 'https'), 'https://api.test/stats'],
    ['http for any other scheme', request('api.test', 'javascript'), 'http://api.test/stats'],
    ['the prefix alone where the host is none', request('evil"host'), '/stats'],
    ['where the request arrived, if it names nothing', request(''), 'http://[::1]:8080/stats'],
  ])('is %s', (_, given, expected) => {
    expect(baseUrlOf(given)).toBe(expected);
  });

  test('is what the operator says, whatever the request says', () => {
    const fixed = baseUrlFrom({ publicUrl: 'https://api.example.com', basePath: '/stats' });
    expect(fixed(request('evil.test'))).toBe('https://api.example.com/stats');
  });
});
