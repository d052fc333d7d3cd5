import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addresses, isPublicByTable } from '../../test/support/server/address-table.ts';
import { findUrlProblem, isReachable, parseNetwork } from './address-check.ts';

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
  ['', "'' is no network such as 10.0.0.0/8"],
  ['example.com', "'example.com' is no network such as 10.0.0.0/8"],
  ['10.0.0/8', "'10.0.0/8' is no network such as 10.0.0.0/8"],
  ['010.0.0.0/8', "'010.0.0.0/8' is no network such as 10.0.0.0/8"],
  ['10.0.0.0/8/8', "'10.0.0.0/8/8' is no network such as 10.0.0.0/8"],
  ['fe80::%eth0/10', "'fe80::%eth0/10' is no network such as 10.0.0.0/8"],
  ['10.0.0.0/33', "'10.0.0.0/33' has no prefix from 0 to 32 behind its /"],
  ['10.0.0.0/', "'10.0.0.0/' has no prefix from 0 to 32 behind its /"],
  ['10.0.0.0/-1', "'10.0.0.0/-1' has no prefix from 0 to 32 behind its /"],
  ['10.0.0.0/255.0.0.0', "'10.0.0.0/255.0.0.0' has no prefix from 0 to 32 behind its /"],
  ['fd00::/129', "'fd00::/129' has no prefix from 0 to 128 behind its /"],
  ['10.0.0.1/8', "'10.0.0.1/8' goes beyond its prefix: its network is 10.0.0.0/8"],
  ['fd00::1/8', "'fd00::1/8' goes beyond its prefix: its network is fd00::/8"],
  ['::ffff:10.0.0.0/104', "'::ffff:10.0.0.0/104' stands for IPv4 addresses: write them as IPv4"],
])('%j is no network: %s', (text, message) => {
  expect(() => parseNetwork(text)).toThrow(message);
});
