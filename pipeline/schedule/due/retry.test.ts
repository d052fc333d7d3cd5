import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dayFromDate } from '../../../runtime/day.ts';
import { type RetryPolicy, retryDeadline, retryDelayMs, TIME_OF_DAY } from './retry.ts';

const POLICY: RetryPolicy = { firstDelayMs: 60_000, maxDelayMs: 1_800_000, until: '12:00' };
const MINUTE = 60_000;

test('delays double from the first to the longest', () => {
  const delays = [1, 2, 3, 4, 5, 6, 7, 1000].map((attempt) => retryDelayMs(attempt, POLICY, () => 0) / MINUTE);
  expect(delays).toEqual([1, 2, 4, 8, 16, 30, 30, 30]);
});

test('chance takes up to half of a delay and never makes one longer', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5000 }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (attempt, part) => {
        const [fullMs, delayMs] = [() => 0, () => part].map((random) => retryDelayMs(attempt, POLICY, random));
        expect(delayMs).toBeGreaterThan((fullMs ?? 0) / 2 - 1);
        expect(delayMs).toBeLessThanOrEqual(fullMs ?? 0);
      },
    ),
  );
});

test.each([
  ['2026-11-20', '12:00', '2026-11-20T12:00:00.000Z'],
  ['2028-02-29', '12:00', '2028-02-29T12:00:00.000Z'],
  ['2028-02-29', '24:00', '2028-03-01T00:00:00.000Z'],
  ['2026-12-31', '24:00', '2027-01-01T00:00:00.000Z'],
  ['2026-03-29', '00:00', '2026-03-29T00:00:00.000Z'],
])('on %s retries end at %s UTC of that day', (day, until, deadline) => {
  expect(retryDeadline(day, { until }).toISOString()).toBe(deadline);
});

test('the deadline of any day lies on that day, whatever the local time zone', () => {
  const instants = fc.date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });
  fc.assert(
    fc.property(instants.map(dayFromDate), (day) => dayFromDate(retryDeadline(day, { until: '23:59' })) === day),
  );
});

test.each(['24:01', '12', '1:00', '12:60', '-1:00', '12:00:00'])('%s is no time of day', (text) => {
  expect(text).not.toMatch(TIME_OF_DAY);
});
