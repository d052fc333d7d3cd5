import fc from 'fast-check';
import { expect, test } from 'vitest';
import { quotaDayAt } from './quota-day.ts';

test.each([
  ['2026-11-20T00:00:00.000Z', '2026-11-20', '2026-11-21'],
  ['2026-11-20T23:59:59.999Z', '2026-11-20', '2026-11-21'],
  ['2024-02-28T12:00:00.000Z', '2024-02-28', '2024-02-29'],
  ['2024-02-29T12:00:00.000Z', '2024-02-29', '2024-03-01'],
  ['2026-12-31T23:59:59.999Z', '2026-12-31', '2027-01-01'],
])('at %s the counters are those of %s and reset at the start of %s', (now, day, next) => {
  expect(quotaDayAt(new Date(now))).toEqual({ day, resetAt: Date.parse(`${next}T00:00:00Z`) / 1000 });
});

test('the counters reset at most a day after any instant, at a UTC midnight', () => {
  fc.assert(
    fc.property(fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true }), (now) => {
      const { resetAt } = quotaDayAt(now);
      expect(resetAt % 86_400).toBe(0);
      expect(resetAt * 1000 - now.getTime()).toBeGreaterThan(0);
      expect(resetAt * 1000 - now.getTime()).toBeLessThanOrEqual(86_400_000);
    }),
  );
});
