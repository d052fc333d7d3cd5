import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NO_END_MS } from '../accounts/plans/terms.ts';
import { INTEGRATION_STATES } from './integration.ts';
import { afterCheck, afterRemoval, declared, isInForce, type Outcome, type Standing } from './life.ts';

const [HOUR, DAY] = [3_600_000, 86_400_000];
const START = Date.parse('2026-11-20T12:00:00Z');
const MIDNIGHT = Date.parse('2026-11-21T00:00:00Z');

/** Checks at these hours after it was declared. */
function live(...checks: readonly (readonly [hours: number, outcome: Outcome])[]): Standing {
  return checks.reduce(
    (standing, [hours, outcome]) => afterCheck(standing, outcome, new Date(START + hours * HOUR)),
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
    const standing: Standing = { ...declared(new Date(START)), bonusUntil: MIDNIGHT };
    for (const state of ['lapsed', 'rejected'] as const) {
      const again = afterCheck({ ...standing, state, failures: 9, firstFailedAt: 1 }, 'found', new Date(START));
      expect(again).toMatchObject({ state: 'verified', bonusUntil: NO_END_MS, failures: 0, firstFailedAt: null });
    }
  });

  test('a link on a site that another organization holds is rejected, whatever it was before', () => {
    for (const state of ['pending', 'lapsed', 'rejected'] as const) {
      const standing = { ...declared(new Date(START)), state };
      expect(afterCheck(standing, 'taken', new Date(START))).toMatchObject({ state: 'rejected', bonusUntil: null });
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
        let [standing, now] = [declared(new Date(START)), START];
        for (const [hours, outcome] of checks) {
          now += hours * HOUR;
          standing = afterCheck(standing, outcome, new Date(now));
          expect(INTEGRATION_STATES).toContain(standing.state);
          expect(standing.bonusUntil === NO_END_MS).toBe(isInForce(standing.state));
          const end = standing.bonusUntil;
          if (end !== null && end !== NO_END_MS) expect([end % DAY, end <= now + DAY]).toEqual([0, true]);
          expect(standing.failures === 0).toBe(standing.firstFailedAt === null);
        }
      }),
    );
  });
});
