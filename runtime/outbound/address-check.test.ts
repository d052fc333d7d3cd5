import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addresses, isPublicByTable } from '../../test/support/server/address-table.ts';
import { refusedUrls } from '../../test/support/server/refused-urls.ts';
import { checkedLookup, findUrlProblem, isReachable, parseNetwork } from './address-check.ts';

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
    ['https://10.1.2.3:22/', 'port 22 is not allowed: use 443, or 1024 or higher'],
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
  expect(find('https://example.com:80/')).toBe('port 80 is not allowed: use 443, or 1024 or higher');
  expect(find('http://example.com:81/')).toBe('port 81 is not allowed: use 80, or 1024 or higher');
  expect(find('ftp://example.com/')).toBe('the URL must begin with https:// or http://');
  expect(find('http://127.0.0.1/')).toBe('127.0.0.1 is not a public address');
});

test('whether an address is public agrees with the registries', () => {
  const property = fc.property(addresses(), ({ text, value, version }) => {
    const problem = findUrlProblem(`https://${text}/`, { allow: [] });
    expect(problem === undefined, text).toBe(isPublicByTable(value, version));
  });
  fc.assert(property, { numRuns: 5_000 });
});

test.each(['', 'localhost', '10.0.0', '0x7f.0.0.1', '1.2.3.4.5', '::g', '[::1]', ' 8.8.8.8'])(
  'what the DNS would have to say, %j is no address and not reached',
  (text) => {
    expect(isReachable(text, [parseNetwork('0.0.0.0/0'), parseNetwork('::/0')])).toBe(false);
  },
);

test('an address with a zone is judged like one without', () => {
  expect(isReachable('fe80::1%eth0', [])).toBe(false);
  expect(isReachable('fe80::1%eth0', [parseNetwork('fe80::/10')])).toBe(true);
});

test.each([
  ['10.0.0.0/9', '10.127.255.255', '10.128.0.0'],
  ['192.168.7.0/25', '192.168.7.127', '192.168.7.128'],
  ['172.16.9.1', '172.16.9.1', '172.16.9.2'],
  ['fd00::/8', 'fdff::1', 'fc00::1'],
  ['::1/128', '::1', '::2'],
])('%s has %s, and not %s', (network, inside, outside) => {
  const allow = [parseNetwork(network)];
  expect([isReachable(inside, allow), isReachable(outside, allow)]).toEqual([true, false]);
});

test.each([
  ['', "'' is not a network such as 10.0.0.0/8"],
  ['example.com', "'example.com' is not a network such as 10.0.0.0/8"],
  ['10.0.0/8', "'10.0.0/8' is not a network such as 10.0.0.0/8"],
  ['010.0.0.0/8', "'010.0.0.0/8' is not a network such as 10.0.0.0/8"],
  ['10.0.0.0/8/8', "'10.0.0.0/8/8' is not a network such as 10.0.0.0/8"],
  ['fe80::%eth0/10', "'fe80::%eth0/10' is not a network such as 10.0.0.0/8"],
  ['10.0.0.0/33', "'10.0.0.0/33' needs a prefix from 0 to 32 after the /"],
  ['10.0.0.0/', "'10.0.0.0/' needs a prefix from 0 to 32 after the /"],
  ['10.0.0.0/-1', "'10.0.0.0/-1' needs a prefix from 0 to 32 after the /"],
  ['10.0.0.0/255.0.0.0', "'10.0.0.0/255.0.0.0' needs a prefix from 0 to 32 after the /"],
  ['fd00::/129', "'fd00::/129' needs a prefix from 0 to 128 after the /"],
  ['10.0.0.1/8', "'10.0.0.1/8' has bits after its prefix: its network is 10.0.0.0/8"],
  ['fd00::1/8', "'fd00::1/8' has bits after its prefix: its network is fd00::/8"],
  ['::ffff:10.0.0.0/104', "'::ffff:10.0.0.0/104' contains IPv4 addresses: write them as IPv4"],
])('%j is no network: %s', (text, message) => {
  expect(() => parseNetwork(text)).toThrow(message);
});

test('lookups of one name at the same time are one, and a later one asks anew', async () => {
  let asked = 0;
  const response = Promise.withResolvers<{ address: string; family: number }[]>();
  const lookup = checkedLookup([], async () => {
    asked += 1;
    return response.promise;
  });
  const find = () =>
    new Promise((resolve, reject) => {
      lookup('hooks.example.com', {}, (error, address) => (error === null ? resolve(address) : reject(error)));
    });
  const all = Promise.all(Array.from({ length: 10 }, find));
  await Promise.resolve();
  expect(asked).toBe(1);
  response.resolve([{ address: '93.184.216.34', family: 4 }]);
  expect(new Set(await all)).toEqual(new Set(['93.184.216.34']));
  await find();
  expect(asked).toBe(2);
});
