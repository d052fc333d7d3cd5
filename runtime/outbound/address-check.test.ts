import { describe, expect, test } from 'vitest';
import { refusedUrls } from '../../test/support/server/refused-urls.ts';
import { findUrlProblem, parseNetwork } from './address-check.ts';

const findProblem = (url: string, allow: readonly string[] = []) =>
  findUrlProblem(url, { allow: allow.map(parseNetwork) });

test.each(refusedUrls)('%s is refused: %s', (url, problem) => {
  expect(findProblem(url)).toBe(problem);
});

test.each([
  'https://example.com',
  'https://example.com:443/hook?a=b#c',
  'https://example.com:1024/',
  'https://example.com:65535/',
  'https://example.com./',
  'https://xn--bcher-kva.example/',
  'https://bücher.example/',
  'https://localhost.example.com/',
  'https://8.8.8.8/',
  'https://0x08080808/',
  'https://[2606:4700:4700::1111]/',
  'https://[::ffff:8.8.8.8]/',
  'https://[64:ff9b::8.8.8.8]/',
])('%s may be requested', (url) => {
  expect(findProblem(url)).toBeUndefined();
});

describe('an allowed network', () => {
  test.each([
    ['https://10.1.2.3/', '10.0.0.0/8'],
    ['https://[::ffff:10.1.2.3]/', '10.0.0.0/8'],
    ['https://[64:ff9b::a01:203]/', '10.0.0.0/8'],
    ['https://127.0.0.1:8443/', '127.0.0.1'],
    ['https://[::1]:8443/', '::1/128'],
    ['https://[fd00::7]/', 'fd00::/8'],
    ['https://[64:ff9b:1::7]/', '64:ff9b:1::/48'],
    ['https://localhost:8443/', '127.0.0.0/8'],
    ['https://receiver/', '172.16.0.0/12'],
  ])('opens %s by %s', (url, network) => {
    expect(findProblem(url)).not.toBeUndefined();
    expect(findProblem(url, ['192.0.2.0/24', network])).toBeUndefined();
  });

  test.each([
    ['https://11.1.2.3.4/', 'the URL is not valid'],
    ['https://192.168.0.1/', '192.168.0.1 is not a public address'],
    ['https://[::a01:203]/', '::a01:203 is not a public address'],
    ['https://10.1.2.3:22/', 'port 22 is not open to requests: use 443, or 1024 or higher'],
    ['http://10.1.2.3/', 'the URL must begin with https://'],
  ])('opens nothing but its addresses: %s', (url, problem) => {
    expect(findProblem(url, ['10.0.0.0/8'])).toBe(problem);
  });
});

test('all of IPv6 being allowed opens no IPv4 address that is written as IPv6', () => {
  expect(findProblem('https://[fd00::7]/', ['::/0'])).toBeUndefined();
  expect(findProblem('https://[::ffff:10.0.0.7]/', ['::/0'])).toBe('::ffff:a00:7 is not a public address');
  expect(findProblem('https://[64:ff9b::10.0.0.7]/', ['::/0'])).toBe('64:ff9b::a00:7 is not a public address');
});

test('where http may be used, it has port 80 too, and no other protocol is open', () => {
  const find = (url: string) => findUrlProblem(url, { allow: [], protocols: ['https:', 'http:'] });
  expect([find('http://example.com/'), find('http://example.com:8080/'), find('https://example.com/')]).toEqual(
    Array(3).fill(undefined),
  );
  expect(find('https://example.com:80/')).toBe('port 80 is not open to requests: use 443, or 1024 or higher');
  expect(find('http://example.com:81/')).toBe('port 81 is not open to requests: use 80, or 1024 or higher');
  expect(find('ftp://example.com/')).toBe('the URL must begin with https:// or http://');
  expect(find('http://127.0.0.1/')).toBe('127.0.0.1 is not a public address');
});
