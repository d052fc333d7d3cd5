import { expect, test } from 'vitest';
import { monthEnd, planWindowStart } from './plans.ts';

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
