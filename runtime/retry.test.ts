import fc from 'fast-check';
import { expect, test } from 'vitest';
import { backOffMs, retry } from './retry.ts';

const MINUTE = 60_000;
const POLICY = { firstMs: MINUTE, maxMs: 30 * MINUTE };

test('delays double from the first to the longest', () => {
  const delays = [1, 2, 3, 4, 5, 6, 7, 1000].map((attempt) => backOffMs(attempt, POLICY, () => 0) / MINUTE);
  expect(delays).toEqual([1, 2, 4, 8, 16, 30, 30, 30]);
});

test('chance takes up to half of a delay and never makes one longer', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5000 }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (attempt, part) => {
        const [fullMs, delayMs] = [() => 0, () => part].map((random) => backOffMs(attempt, POLICY, random));
        expect(delayMs).toBeGreaterThan((fullMs ?? 0) / 2 - 1);
        expect(delayMs).toBeLessThanOrEqual(fullMs ?? 0);
      },
    ),
  );
});

test('work is repeated after the waits that were asked for, until it succeeds or is given up', async () => {
  const waits: number[] = [];
  const failTimes = (failures: number) => async (attempt: number) => {
    if (attempt <= failures) throw new Error(`attempt ${attempt}`);
    return attempt;
  };
  const options = {
    delayAfter: (_: unknown, attempt: number) => (attempt < 3 ? attempt * 10 : undefined),
    sleep: async (ms: number) => void waits.push(ms),
  };
  await expect(retry(failTimes(2), options)).resolves.toBe(3);
  await expect(retry(failTimes(3), options)).rejects.toThrow('attempt 3');
  expect(waits).toEqual([10, 20, 10, 20]);
});
