import { expect, test } from 'vitest';
import { quotaDayAt } from './quota.ts';

test.each([
  ['2026-11-20T00:00:00.000Z', '2026-11-20', '2026-11-21'],
  ['2026-11-20T23:59:59.999Z', '2026-11-20', '2026-11-21'],
  ['2024-02-28T12:00:00.000Z', '2024-02-28', '2024-02-29'],
  ['2024-02-29T12:00:00.000Z', '2024-02-29', '2024-03-01'],
  ['2026-12-31T23:59:59.999Z', '2026-12-31', '2027-01-01'],
])('at %s the counters are those of %s and reset at the start of %s', (now, day, next) => {
  expect(quotaDayAt(new Date(now))).toEqual({ day, resetAt: Date.parse(`${next}T00:00:00Z`) / 1000 });
});
