import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { allEnded, eachAtOnce } from './concurrency.ts';

test('work at once that fails is told when all of it has ended, the first in order first', async () => {
  let isOver = false;
  const long = setImmediate().then(() => {
    isOver = true;
    throw new Error('first');
  });
  const short = Promise.reject(new Error('second'));
  await expect(allEnded([long, short])).rejects.toThrow('first');
  expect(isOver).toBe(true);
});

test('of work a few at a time none begins after one has failed, whose error is told', async () => {
  const begun: number[] = [];
  const work = async (item: number) => {
    begun.push(item);
    await setImmediate();
    if (item === 3) throw new Error('third');
  };
  await expect(eachAtOnce([1, 2, 3, 4, 5, 6], 2, work)).rejects.toThrow('third');
  expect(begun).toEqual([1, 2, 3, 4]);
});
