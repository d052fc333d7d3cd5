import { expect, test } from 'vitest';
import { findDueDay, findExpectedDay } from './expected-day.ts';

const cronAt = (time: string) => ({ firstRunOn: (day: string) => new Date(`${day}T${time}:00Z`) });

test.each([
  ['00:05', '12:00', '2026-06-02T11:59:59Z', '2026-06-01'],
  ['00:05', '12:00', '2026-06-02T12:00:00Z', '2026-06-02'],
  ['00:05', '24:00', '2026-06-02T23:59:59Z', '2026-06-01'],
  ['18:00', '12:00', '2026-06-02T18:00:30Z', '2026-06-01'],
  ['18:00', '12:00', '2026-06-03T11:59:59Z', '2026-06-01'],
  ['18:00', '12:00', '2026-06-03T12:00:00Z', '2026-06-02'],
  ['12:00', '12:00', '2026-06-02T12:00:30Z', '2026-06-01'],
])('of nights due at %s and late after %s, at %s that of %s is expected', (due, lateAfter, now, expected) => {
  expect(findExpectedDay(new Date(now), { cron: cronAt(due), lateAfter })).toBe(expected);
});

test('a day is due from the minute on at which its night begins', () => {
  const cron = cronAt('18:00');
  expect(findDueDay(new Date('2026-06-02T17:59:59Z'), { cron })).toBe('2026-06-01');
  expect(findDueDay(new Date('2026-06-02T18:00:00Z'), { cron })).toBe('2026-06-02');
});

test('without a due time in a year nothing is expected', () => {
  const cron = { firstRunOn: () => undefined };
  expect(findExpectedDay(new Date('2026-06-02T12:00:00Z'), { cron, lateAfter: '12:00' })).toBeUndefined();
});
