import { expect, test } from 'vitest';
import { nextDigestAt } from './frequency.ts';

test.each([
  ['daily', '2026-06-03T06:59:59Z', '2026-06-03T07:00:00.000Z'],
  ['daily', '2026-06-03T07:00:00Z', '2026-06-04T07:00:00.000Z'],
  ['daily', '2026-12-31T23:00:00Z', '2027-01-01T07:00:00.000Z'],
  ['weekly', '2026-06-01T06:00:00Z', '2026-06-01T07:00:00.000Z'], // A Monday.
  ['weekly', '2026-06-01T07:00:00Z', '2026-06-08T07:00:00.000Z'],
  ['weekly', '2026-06-07T23:59:59Z', '2026-06-08T07:00:00.000Z'],
] as const)(
  'a %s digest after %s is due at %s, always later and at the hour of the service',
  (frequency, now, next) => {
    expect(nextDigestAt(frequency, new Date(now), 7).toISOString()).toBe(next);
  },
);
