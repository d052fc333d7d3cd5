import fc from 'fast-check';
import type { FastifyRequest } from 'fastify';
import { describe, expect, test } from 'vitest';
import { baseUrlFrom, isHost, loggedUrl, urlShower, withoutKeys } from './urls.ts';

test.each(['api.test', 'my_service', '127.0.0.1:80', '[::1]', '[2001:db8::1]:443', 'xn--bcher-kva.example'])(
  '%s is a host',
  (host) => {
    expect(isHost(host)).toBe(true);
  },
);

test.each([
  '',
  'a/b',
  'user@host',
  '"><script>',
  'a:b',
  'a\r\nX: b',
  'bücher.example',
  'a:99999',
  '256.1.1.1',
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

/** Of the form that keys have; test/serve/serve.test.ts looks for real ones. */
const KEY = `msk_${'aB3'.repeat(14)}`;

test.each([
  ['/v1/models?limit=3&q=mini', '/v1/models?limit=3&q=mini'],
  ['/v1/models?', '/v1/models?'],
  [`/v1/models?key=${KEY}&limit=3`, '/v1/models?key=…&limit=3'],
  ['/v1/models?api_key=hunter2&token=&ACCESS_TOKEN=x', '/v1/models?api_key=…&token=…&ACCESS_TOKEN=…'],
  [`/v1/models?limit=3&q=${KEY}`, '/v1/models?limit=3&…'],
  [`/v1/models?${KEY}`, '/v1/models?…'],
  [`/v1/models?q=%6D%73k_${KEY.slice(4)}`, '/v1/models?…'],
  [`/v1/models?q=%256D%2573k_${KEY.slice(4)}`, '/v1/models?…'],
  [`/v1/models/%25256Dsk%25255F${KEY.slice(4)}/history`, '/v1/models/…/history'],
  [`/v1/models/%zz%256Dsk_${KEY.slice(4)}`, '/v1/models/…'],
  ['/v1/models?api%255Fkey=hunter2', '/v1/models?api%255Fkey=…'],
  ['/v1?X-Amz-Signature=a&client_secret=b&sessionId=c', '/v1?X-Amz-Signature=…&client_secret=…&sessionId=…'],
  ['http://alice:hunter2@other.test/v1/models?limit=3', 'http://…@other.test/v1/models?limit=3'],
  [`/%${'25'.repeat(500)}6Dsk_${KEY.slice(4)}`, '/…'],
  [`/v1/models/${KEY}/history?kind=score`, '/v1/models/…/history?kind=score'],
  ['/files/x.jsonl.gz?expires=1&signature=abc', '/files/x.jsonl.gz?expires=1&signature=…'],
  ['/v1/models?q=%zz', '/v1/models?q=%zz'],
  ['/sign-in?next=%2Finvitations%2Faccept%3Ftoken%3Dhunter2&x=1', '/sign-in?next=…&x=1'],
  ['/sign-in?next=%252Faccept%253Fa%253D1%2526token%253Dhunter2', '/sign-in?next=…'],
  ['/sign-in?next=%2Fkeys%3Fdays%3D30', '/sign-in?next=%2Fkeys%3Fdays%3D30'],
])('%s is logged as %s', (url, logged) => {
  expect(loggedUrl(url, 'msk_')).toBe(logged);
});

test('a key is never logged, however often it is percent-encoded', () => {
  const encodeOnce = (text: string, which: (i: number) => boolean) =>
    [...text]
      .map((letter, i) => (which(i) || letter === '%' ? `%${letter.charCodeAt(0).toString(16)}` : letter))
      .join('');
  fc.assert(
    fc.property(fc.array(fc.array(fc.boolean(), { minLength: 46, maxLength: 46 }), { maxLength: 4 }), (rounds) => {
      const encoded = rounds.reduce((text, which) => encodeOnce(text, (i) => which[i] ?? false), KEY);
      for (const url of [`/v1/models/${encoded}`, `/v1/models?q=${encoded}`, `/v1/models?${encoded}=1`])
        expect(loggedUrl(url, 'msk_')).not.toContain(encoded);
      expect(withoutKeys(`the request of http://x/?q=${encoded} failed`, 'msk_')).toBe(
        'the request of http://x/?q=… failed',
      );
    }),
  );
});

test('a URL of many encodings takes no time to look at', () => {
  const before = process.cpuUsage();
  for (let i = 0; i < 100; i += 1) loggedUrl(`/?q=%${'25'.repeat(8_000)}`, 'msk_');
  // Of processor time, in microseconds: a busy machine takes no more of it. To decode them all takes many times as much.
  expect(process.cpuUsage(before).user).toBeLessThan(3_000_000);
});

test('a key is never logged, whatever is around it', () => {
  const around = fc.string({ unit: fc.constantFrom('/', '?', '&', '=', '%', '+', 'a', '#', '%20'), maxLength: 8 });
  fc.assert(
    fc.property(around, around, (before, after) => {
      expect(loggedUrl(`/${before}${KEY}${after}`, 'msk_')).not.toContain(KEY.slice(4));
    }),
  );
});

test('a URL is shown without its secrets however often it comes', () => {
  const show = urlShower('msk_', 1000);
  for (let round = 0; round < 3; round += 1) {
    expect(show('/v1/models?limit=3')).toBe('/v1/models?limit=3');
    expect(show('/v1/models?key=hunter2')).toBe('/v1/models?key=…');
    expect(show('/v1/models/MSK_abc')).toBe('/v1/models/…');
  }
});
