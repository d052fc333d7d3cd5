import { expect, test } from 'vitest';
import { checkedLookup } from './address-check.ts';

test('lookups of one name at the same time are one, and a later one asks anew', async () => {
  let asked = 0;
  const answer = Promise.withResolvers<{ address: string; family: number }[]>();
  const lookup = checkedLookup([], async () => {
    asked += 1;
    return answer.promise;
  });
  const find = () =>
    new Promise((resolve, reject) => {
      lookup('hooks.example.com', {}, (error, address) => (error === null ? resolve(address) : reject(error)));
    });
  const all = Promise.all(Array.from({ length: 10 }, find));
  await Promise.resolve();
  expect(asked).toBe(1);
  answer.resolve([{ address: '93.184.216.34', family: 4 }]);
  expect(new Set(await all)).toEqual(new Set(['93.184.216.34']));
  await find();
  expect(asked).toBe(2);
});
