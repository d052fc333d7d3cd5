import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addDays, addMonths, type Day } from '../runtime/day.ts';
import { smallEntry } from '../test/support/pipeline/small-store.ts';
import { type Catalog, type CatalogEntry, RELEASE_PARTS, type ReleasePart } from './catalog.ts';
import { findExpired, RETENTION, type Retention, retainedFrom } from './retention.ts';

/** A day after all of these: what it is today takes nothing away. */
const LATER = '2999-12-31';

const releasesOf = (days: readonly Day[]): readonly CatalogEntry[] => days.map((day) => smallEntry(day));
const withParts = (day: Day, ...parts: ReleasePart[]): CatalogEntry => ({ ...smallEntry(day), parts });

function catalogOf(releases: readonly CatalogEntry[]): Catalog {
  return { format: 1, generation: 1, releases: [...releases] };
}

function prunedBy(releases: readonly CatalogEntry[], retention: Retention): readonly CatalogEntry[] {
  const expired = findExpired(releases, retention, LATER);
  const isGone = (entry: CatalogEntry, part: ReleasePart) =>
    expired.some((candidate) => candidate.release === entry && candidate.part === part);
  return releases.map((entry) => ({ ...entry, parts: entry.parts.filter((part) => !isGone(entry, part)) }));
}

function daysWith(part: ReleasePart, releases: readonly CatalogEntry[]): readonly Day[] {
  return releases.filter(({ parts }) => parts.includes(part)).map(({ day }) => day);
}

/** Captured days: a start anywhere around leap years, then up to 500 nights with gaps. */
const Calendar = fc
  .tuple(fc.nat(8 * 366), fc.uniqueArray(fc.nat(900), { minLength: 1, maxLength: 500, size: 'max' }))
  .map(([start, nights]) => nights.toSorted((a, b) => a - b).map((night) => addDays('2023-01-01', start + night)));

const AnyRetention: fc.Arbitrary<Retention> = fc.oneof(
  fc.constant(RETENTION),
  fc.record({
    changesMonths: fc.integer({ min: 1, max: 15 }),
    snapshots: fc.integer({ min: 1, max: 100 }),
    states: fc.integer({ min: 1, max: 10 }),
  }),
);

/** The same promise, read from the list of days alone. */
function expectedDays(days: readonly Day[], { changesMonths, snapshots, states }: Retention) {
  const isMonthEnd = (day: Day, next: Day | undefined) => next?.slice(0, 7) !== day.slice(0, 7);
  return {
    changes: days.filter((day) => day >= addMonths(days.at(-1) ?? '', -changesMonths)),
    snapshot: days.filter((day, index) => days.length - index <= snapshots || isMonthEnd(day, days[index + 1])),
    state: days.slice(-states),
  };
}

describe('retention', () => {
  it('keeps, on any calendar, 13 months of changes, 90 snapshots and month-ends, 7 states', () => {
    fc.assert(
      fc.property(Calendar, AnyRetention, (days, retention) => {
        const kept = prunedBy(releasesOf(days), retention);
        const expected = expectedDays(days, retention);
        for (const part of RELEASE_PARTS) expect(daysWith(part, kept)).toEqual(expected[part]);
      }),
      { numRuns: 300 },
    );
  });

  it('keeps the same whether prune runs after every night or once', () => {
    fc.assert(
      fc.property(Calendar, fc.integer({ min: 1, max: 40 }), AnyRetention, (days, every, retention) => {
        let nightly: readonly CatalogEntry[] = [];
        for (const [index, day] of days.entries()) {
          nightly = [...nightly, smallEntry(day)];
          if (index % every === 0) nightly = prunedBy(nightly, retention);
        }
        expect(prunedBy(nightly, retention)).toEqual(prunedBy(releasesOf(days), retention));
      }),
      { numRuns: 60 },
    );
  });

  it('keeps the last snapshot that a month still has where the month-end itself is lost', () => {
    const releases = [smallEntry('2026-01-30'), withParts('2026-01-31', 'changes'), smallEntry('2026-02-01')];
    const stored = daysWith('snapshot', prunedBy(releases, { ...RETENTION, snapshots: 1 }));
    expect(stored).toEqual(['2026-01-30', '2026-02-01']);
  });

  it('takes nothing away because no night ran for years', () => {
    expect(findExpired(releasesOf(['2023-12-31', '2024-01-01']), RETENTION, LATER)).toEqual([]);
  });

  it('takes nothing away because of a day in the future, and nothing of that day', () => {
    const days = ['2025-01-31', '2025-06-28', '2025-06-29', '2025-06-30'];
    const releases = releasesOf([...days, '2031-01-01', '2031-01-02']);
    const rules = { changesMonths: 13, snapshots: 2, states: 1 };
    const without = findExpired(releases.slice(0, days.length), rules, '2025-07-01');
    expect(findExpired(releases, rules, '2025-07-01')).toEqual(without);
    expect(without.some(({ part }) => part === 'changes')).toBe(false);
  });

  it('takes nothing away where the clock stands before all of it', () => {
    expect(findExpired(releasesOf(['2025-06-29', '2025-06-30']), RETENTION, '1970-01-01')).toEqual([]);
  });

  it('says which rule a part has outlived', () => {
    const releases = releasesOf(['2024-02-28', '2024-02-29', '2025-03-30']);
    const rules = { changesMonths: 13, snapshots: 1, states: 1 };
    const expired = findExpired(releases, rules, LATER);
    expect(expired.map(({ release, part, reason }) => `${release.day} ${part}: ${reason}`)).toEqual([
      '2024-02-28 snapshot: not among the newest 1 snapshots, nor the last one of its month',
      '2024-02-28 changes: older than 13 months: before 2024-02-29',
      '2024-02-28 state: not among the newest 1 states',
      '2024-02-29 state: not among the newest 1 states',
    ]);
  });
});

describe('retained_from', () => {
  it('is the first day whose changes are kept, on any calendar', () => {
    fc.assert(
      fc.property(Calendar, AnyRetention, (days, retention) => {
        const pruned = prunedBy(releasesOf(days), retention);
        expect(retainedFrom(catalogOf(pruned))).toBe(expectedDays(days, retention).changes[0]);
      }),
    );
  });

  it('is null before the first night', () => {
    expect(retainedFrom(undefined)).toBeNull();
    expect(retainedFrom(catalogOf([]))).toBeNull();
  });

  it('never reaches behind a release without changes: a feed has no holes', () => {
    const hole = withParts('2026-01-02', 'state');
    const releases = [smallEntry('2026-01-01'), hole, ...releasesOf(['2026-01-03', '2026-01-04'])];
    expect(retainedFrom(catalogOf(releases))).toBe('2026-01-03');
    expect(retainedFrom(catalogOf(releases.slice(0, 2)))).toBeNull();
  });
});
