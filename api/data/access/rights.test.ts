import { describe, expect, test } from 'vitest';
import { addDays, type Day } from '../../../runtime/day.ts';
import type { Manifest } from '../../../schemas/manifest.ts';
import { planWindowStart } from '../../accounts/organizations/plans.ts';
import { effectiveTerms, NO_BONUS, NO_SUBSCRIPTION, type Subscription } from '../../accounts/organizations/terms.ts';
import { ALL_RIGHTS, type Rights, rightsTag, visibleSnapshots } from './rights.ts';

const TODAY: Day = '2026-06-30';
/** Every day of two years up to yesterday, oldest first. */
const DAYS: readonly Day[] = Array.from({ length: 730 }, (_, index) => addDays(TODAY, index - 730));

function rightsOf(subscription: Partial<Subscription>): Rights {
  const terms = effectiveTerms({ ...NO_SUBSCRIPTION, ...subscription }, NO_BONUS, new Date(`${TODAY}T12:00:00Z`));
  const { plan, snapshots, historyMonths } = terms;
  return { plan, snapshots, historyMonths };
}

function seen(rights: Rights, days = DAYS): readonly string[] {
  const manifests = days.map((id) => ({ id }) as Manifest); // Nothing else is looked at.
  return visibleSnapshots(manifests, rights, TODAY).map(({ id }) => id);
}

/** The last stored day of each month. */
function monthEnds(days: readonly Day[]): readonly Day[] {
  return days.filter((day, index) => days[index + 1]?.slice(0, 7) !== day.slice(0, 7));
}

describe('Plan table: bulk snapshots', () => {
  test('Community sees none, Builder the latest only', () => {
    expect(seen(rightsOf({}))).toEqual([]);
    expect(seen(rightsOf({ plan: 'builder' }))).toEqual(['2026-06-29']);
    expect(seen(rightsOf({ plan: 'builder' }), [])).toEqual([]);
  });

  test('Commercial sees the last 90 and all month-ends, newest first', () => {
    const expected = new Set([...DAYS.slice(-90), ...monthEnds(DAYS)]);
    expect(seen(rightsOf({ plan: 'commercial' }))).toEqual(DAYS.filter((day) => expected.has(day)).toReversed());
    // The last stored day of a month, where its last day has none.
    const gapped = seen(
      rightsOf({ plan: 'commercial' }),
      DAYS.filter((day) => day !== '2026-01-31'),
    );
    expect(gapped).toContain('2026-01-30');
  });

  test('a contract’s months bound the month-ends, not the newest', () => {
    const oneMonth = seen(rightsOf({ plan: 'commercial', contract: { history_months: 1 } }));
    expect(oneMonth).toEqual(DAYS.slice(-90).toReversed());
    const year = seen(rightsOf({ plan: 'commercial', contract: { history_months: 12, snapshots_newest: 2 } }));
    expect(year).toHaveLength(2 + 12);
    expect(year.at(-1)).toBe('2025-06-30');
  });

  test('a contract can leave month-ends out, or ask for more than there are', () => {
    const contract = { snapshots_newest: 3, snapshots_month_ends: false };
    expect(seen(rightsOf({ plan: 'commercial', contract }))).toEqual(DAYS.slice(-3).toReversed());
    expect(seen(rightsOf({ plan: 'commercial', contract: { snapshots_newest: 10_000 } }))).toHaveLength(DAYS.length);
    expect(seen(rightsOf({ plan: 'commercial', contract: { snapshots_newest: 0 } }))).toEqual(
      monthEnds(DAYS).toReversed(),
    );
  });

  test('without accounts everything is seen', () => {
    expect(seen(ALL_RIGHTS)).toEqual(DAYS.toReversed());
  });
});

test('the oldest day that may be queried is so many calendar months back; null is no limit', () => {
  expect(planWindowStart(rightsOf({}).historyMonths, '2026-08-31')).toBe('2026-02-28');
  expect(planWindowStart(rightsOf({ plan: 'builder' }).historyMonths, '2028-02-29')).toBe('2027-02-28');
  expect(planWindowStart(rightsOf({ plan: 'commercial' }).historyMonths, TODAY)).toBeNull();
  expect(planWindowStart(rightsOf({ plan: 'commercial', contract: { history_months: 0 } }).historyMonths, TODAY)).toBe(
    TODAY,
  );
});

test('rights that differ have tags that differ, the same rights the same', () => {
  const snapshots = [
    null,
    { newest: 1, monthEnds: false },
    { newest: 1, monthEnds: true },
    { newest: 11, monthEnds: true },
  ];
  const all = [null, 'community', 'builder'].flatMap((plan) =>
    [1, 12, 121].flatMap((historyMonths) => snapshots.map((access) => ({ plan, historyMonths, snapshots: access }))),
  );
  expect(new Set(all.map(rightsTag)).size).toBe(all.length);
  expect(all.map((rights) => rightsTag(structuredClone(rights)))).toEqual(all.map(rightsTag));
});
