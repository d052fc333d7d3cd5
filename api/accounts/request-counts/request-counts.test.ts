import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addDays } from '../../../runtime/day.ts';
import { assertDayRange, daysOf, partsOf, RANGE_DAYS_MAX } from './request-counts.ts';

test('the parts of a range have each of its days once, oldest first, and there are few of them', () => {
  const range = fc.record({ start: fc.nat(20_000), length: fc.integer({ min: 1, max: 3_000 }) });
  fc.assert(
    fc.property(range, ({ start, length }) => {
      const from = addDays('1990-01-01', start);
      const whole = { from, to: addDays(from, length - 1) };
      const parts = partsOf(whole);
      expect(parts.flatMap(daysOf)).toEqual(daysOf(whole));
      expect(daysOf(whole)).toHaveLength(length);
      expect(parts.length).toBeLessThanOrEqual(60);
    }),
  );
});

test('a range of as many days as usage is kept for is fine, and one more is not', () => {
  const to = addDays('2000-01-01', RANGE_DAYS_MAX);
  expect(() => assertDayRange({ from: '2000-01-02', to })).not.toThrow();
  expect(() => assertDayRange({ from: '2000-01-01', to })).toThrow('more than 36500 days');
});
