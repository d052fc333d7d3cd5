import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { allEnded } from './concurrency.ts';

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
