import { expect, test } from 'vitest';
import { afterCheck, declared, LATE_MAX_MS, nextCheckAt, type Outcome } from './life.ts';

const [HOUR, DAY] = [3_600_000, 86_400_000];
const START = Date.parse('2026-11-20T12:00:00Z');

/** Checks as the timetable has them, each with the same outcome and ending some seconds late, until there is none or for 60 days. */
function checksOf(id: string, outcomeAt: (sinceMs: number) => Outcome) {
  let standing = declared(new Date(START));
  const checks: { readonly sinceMs: number; readonly state: string }[] = [];
  for (let at: number | null = START; at !== null && at < START + 60 * DAY; ) {
    const ended = at + (checks.length % 3) * 4_000;
    standing = afterCheck(standing, outcomeAt(ended - START), new Date(ended));
    checks.push({ sinceMs: ended - START, state: standing.state });
    at = nextCheckAt(id, standing, new Date(ended));
  }
  return checks;
}

test('a page is checked every day at one time, which is its own', () => {
  const times = ['int_1', 'int_2', 'int_3', 'int_4'].map((id) => {
    const checks = checksOf(id, () => 'found');
    const gaps = checks.slice(2).map(({ sinceMs }, index) => (sinceMs - (checks[index + 1]?.sinceMs ?? 0)) / DAY);
    expect(gaps.every((days) => Math.abs(days - 1) < 0.001)).toBe(true);
    const first = checks[1]?.sinceMs ?? 0;
    expect([first >= HOUR, first <= DAY + 4_000]).toEqual([true, true]);
    return Math.floor(first / HOUR);
  });
  expect(new Set(times).size).toBeGreaterThan(2);
});

const IDS = ['int_1', 'int_2', 'int_3', 'int_5', 'int_8', 'int_13', 'int_21'];

test.each(IDS)(
  'a page that never has the link is rejected within a day after 72 hours, watched for 30 days, and then left alone (%s)',
  (id) => {
    const checks = checksOf(id, () => 'failed');
    const since = checks.find(({ state }) => state === 'rejected')?.sinceMs ?? 0;
    expect(since).toBeGreaterThanOrEqual(72 * HOUR);
    expect(since).toBeLessThan(97 * HOUR);
    const watched = (checks.at(-1)?.sinceMs ?? 0) - since;
    expect([watched > 28 * DAY, watched <= 30 * DAY + 8_000]).toEqual([true, true]);
  },
);

test('the next daily check is never further away than a day and ten minutes, nor nearer than an hour, whatever the hour', () => {
  for (let minutes = 0; minutes < 24 * 60; minutes += 7) {
    const now = new Date(START + minutes * 60_000);
    for (const id of IDS) {
      const daily = afterCheck(declared(now), 'found', now);
      const pause = (nextCheckAt(id, daily, now) ?? 0) - now.getTime();
      expect([pause >= HOUR, pause <= DAY], `${id} at ${now.toISOString()}: ${pause / HOUR} h`).toEqual([true, true]);
      const begun = afterCheck(daily, 'failed', new Date(now.getTime() - 48 * HOUR - LATE_MAX_MS / 2));
      const failing = (nextCheckAt(id, begun, now) ?? 0) - now.getTime();
      expect(failing).toBeLessThanOrEqual(DAY + LATE_MAX_MS);
    }
  }
});

test('what was removed is never checked again', () => {
  expect(nextCheckAt('int_1', { ...declared(new Date(START)), state: 'removed' }, new Date(START))).toBeNull();
});
