import fc from 'fast-check';
import { expect, test } from 'vitest';
import { monthEnd, planWindowStart, quotaDayAt } from './quota-day.ts';

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

test.each([
  ['2026-11-20T12:00:00Z', '2026-12-01T00:00:00Z'],
  ['2026-12-31T23:59:59Z', '2027-01-01T00:00:00Z'],
  ['2024-02-29T23:59:59Z', '2024-03-01T00:00:00Z'],
  ['2026-03-01T00:00:00Z', '2026-04-01T00:00:00Z'],
])('the month of %s ends at %s', (now, end) => {
  expect(monthEnd(new Date(now))).toEqual(new Date(end));
});

test.each([
  [6, '2026-08-29', '2026-02-28'],
  [6, '2026-08-30', '2026-02-28'],
  [6, '2026-08-31', '2026-02-28'],
  [6, '2024-08-31', '2024-02-29'],
  [6, '2026-12-31', '2026-06-30'],
  [6, '2026-03-31', '2025-09-30'],
  [12, '2024-02-29', '2023-02-28'],
  [12, '2025-02-28', '2024-02-28'],
  [12, '2026-10-31', '2025-10-31'],
  [0, '2026-10-31', '2026-10-31'],
])('a window of %d months on %s starts on %s', (months, today, start) => {
  expect(planWindowStart(months, today)).toBe(start);
});

test('a full window has no start', () => {
  expect(planWindowStart(1200, '2026-11-20')).toBeNull();
});
