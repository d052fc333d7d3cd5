import { expect, test } from 'vitest';
import { limitedOrigin } from './address-limit.ts';

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:0:1::5', '2001:db8:0:1::/64'],
  ['2001:0DB8:0:0001:ffff::', '2001:db8:0:1::/64'],
  ['unix', 'unix'],
])('%s counts as %s', (address, counted) => {
  expect(limitedOrigin(address)).toBe(counted);
});
