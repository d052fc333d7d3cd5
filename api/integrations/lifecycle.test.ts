import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NO_END_MS } from '../accounts/organizations/terms.ts';
import { INTEGRATION_STATES } from './integration.ts';
import {
  afterCheck,
  afterRemoval,
  declared,
  isInForce,
  LATE_MAX_MS,
  type Lifecycle,
  nextCheckAt,
  type Outcome,
} from './lifecycle.ts';

const [HOUR, DAY] = [3_600_000, 86_400_000];
const START = Date.parse('2026-11-20T12:00:00Z');
const MIDNIGHT = Date.parse('2026-11-21T00:00:00Z');

/** Checks at these hours after it was declared. */
function live(...checks: readonly (readonly [hours: number, outcome: Outcome])[]): Lifecycle {
  return checks.reduce(
    (lifecycle, [hours, outcome]) => afterCheck(lifecycle, outcome, new Date(START + hours * HOUR)),
    declared(new Date(START)),
  );
}

describe('the life of an integration', () => {
  test('begins as pending, and is verified by the first check that finds the link', () => {
    expect(declared(new Date(START))).toMatchObject({ state: 'pending', bonusUntil: null });
    expect(live([0, 'found'])).toMatchObject({ state: 'verified', bonusUntil: NO_END_MS, failures: 0 });
    expect(live([0, 'failed'], [24, 'found'])).toMatchObject({ state: 'verified', firstFailedAt: null });
  });

  test.each([
    ['three failures over 72 hours', [0, 24, 72], 'rejected'],
    ['three failures in less', [0, 24, 71.999], 'pending'],
    ['two failures over 72 hours', [0, 72], 'pending'],
  ] as const)('pending after %s', (_, hours, state) => {
    expect(live(...hours.map((hour) => [hour, 'failed'] as const))).toMatchObject({ state, bonusUntil: null });
  });

  test('three failures over 72 hours put what is verified at risk, and it keeps its bonus', () => {
    const failing = [
      [0, 'found'],
      [10, 'failed'],
      [34, 'failed'],
    ] as const;
    expect(live(...failing, [58, 'failed'])).toMatchObject({ state: 'verified', failures: 3 });
    expect(live(...failing, [82, 'failed'])).toMatchObject({ state: 'at_risk', bonusUntil: NO_END_MS });
    expect(live(...failing, [58, 'found'], [82, 'failed'])).toMatchObject({ state: 'verified', failures: 1 });
    expect(live(...failing, [82, 'failed'], [83, 'found'])).toMatchObject({ state: 'verified', bonusUntil: NO_END_MS });
  });

  test('what was at risk for seven days lapses with the next failure, and its bonus with the UTC day', () => {
    const risky = [
      [0, 'found'],
      [1, 'failed'],
      [25, 'failed'],
      [73, 'failed'],
    ] as const;
    const before = live(...risky, [73 + 7 * 24 - 0.001, 'failed']);
    expect(before).toMatchObject({ state: 'at_risk', bonusUntil: NO_END_MS });
    const lapsedAt = START + (73 + 7 * 24) * HOUR;
    const lapsed = live(...risky, [73 + 7 * 24, 'failed']);
    expect(lapsed).toMatchObject({ state: 'lapsed', stateChangedAt: lapsedAt });
    expect(lapsed.bonusUntil).toBe((Math.floor(lapsedAt / DAY) + 1) * DAY);
  });

  test('what lapsed or was rejected is verified again when the link is there, and earns again at once', () => {
    const lifecycle: Lifecycle = { ...declared(new Date(START)), bonusUntil: MIDNIGHT };
    for (const state of ['lapsed', 'rejected'] as const) {
      const again = afterCheck({ ...lifecycle, state, failures: 9, firstFailedAt: 1 }, 'found', new Date(START));
      expect(again).toMatchObject({ state: 'verified', bonusUntil: NO_END_MS, failures: 0, firstFailedAt: null });
    }
  });

  test('a link on a site that another organization holds is rejected, whatever it was before', () => {
    for (const state of ['pending', 'lapsed', 'rejected'] as const) {
      const lifecycle = { ...declared(new Date(START)), state };
      expect(afterCheck(lifecycle, 'taken', new Date(START))).toMatchObject({ state: 'rejected', bonusUntil: null });
    }
  });

  test('what is removed earns until the UTC day is over, and no check brings it back', () => {
    const removed = afterRemoval(live([0, 'found']), new Date(START + HOUR));
    expect(removed).toMatchObject({ state: 'removed', bonusUntil: MIDNIGHT });
    expect(afterCheck(removed, 'found', new Date(START + 2 * HOUR))).toEqual(removed);
    expect(afterRemoval(live([0, 'failed']), new Date(START))).toMatchObject({ bonusUntil: null });
  });

  test('whatever checks tell, it earns without an end where it is in force, and elsewhere until a midnight that had begun by then', () => {
    const steps = fc.array(
      fc.tuple(fc.integer({ min: 0, max: 100 }), fc.constantFrom<Outcome>('found', 'failed', 'taken')),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(steps, (checks) => {
        let [lifecycle, now] = [declared(new Date(START)), START];
        for (const [hours, outcome] of checks) {
          now += hours * HOUR;
          lifecycle = afterCheck(lifecycle, outcome, new Date(now));
          expect(INTEGRATION_STATES).toContain(lifecycle.state);
          expect(lifecycle.bonusUntil === NO_END_MS).toBe(isInForce(lifecycle.state));
          const end = lifecycle.bonusUntil;
          if (end !== null && end !== NO_END_MS) expect([end % DAY, end <= now + DAY]).toEqual([0, true]);
          expect(lifecycle.failures === 0).toBe(lifecycle.firstFailedAt === null);
        }
      }),
    );
  });
});

/** Checks as the timetable has them, each with the same outcome and ending some seconds late, until there is none or for 60 days. */
function checksOf(id: string, outcomeAt: (sinceMs: number) => Outcome) {
  let lifecycle = declared(new Date(START));
  const checks: { readonly sinceMs: number; readonly state: string }[] = [];
  for (let at: number | null = START; at !== null && at < START + 60 * DAY; ) {
    const ended = at + (checks.length % 3) * 4_000;
    lifecycle = afterCheck(lifecycle, outcomeAt(ended - START), new Date(ended));
    checks.push({ sinceMs: ended - START, state: lifecycle.state });
    at = nextCheckAt(id, lifecycle, new Date(ended));
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
