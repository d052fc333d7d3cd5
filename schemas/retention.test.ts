import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addDays, type Day } from '../runtime/day.ts';
import { type Catalog, type CatalogEntry, RELEASE_PARTS, type ReleasePart } from './catalog.ts';
import { findExpired, RETENTION, type Retention, retainedFrom } from './retention.ts';

/** A day after all of these: what it is today takes nothing away. */
const LATER = '2999-12-31';

function release(day: Day, parts: readonly ReleasePart[] = RELEASE_PARTS): CatalogEntry {
  return {
    day,
    run: 'R',
    release_sha256: '0'.repeat(64),
    parts: [...parts],
    data_as_of: `${day}T23:59:59Z`,
    published_at: `${day}T23:59:59Z`,
    schema_version: '1.0',
    captured: [],
    first_seq: null,
    last_seq: 0,
  };
}

function catalogOf(releases: readonly CatalogEntry[]): Catalog {
  return { format: 1, generation: 1, releases: [...releases] };
}

function prunedBy(releases: readonly CatalogEntry[], retention: Retention = RETENTION): readonly CatalogEntry[] {
  const expired = findExpired(releases, retention, LATER);
  const isGone = (entry: CatalogEntry, part: ReleasePart) =>
    expired.some((candidate) => candidate.release === entry && candidate.part === part);
  return releases.map((entry) => ({ ...entry, parts: entry.parts.filter((part) => !isGone(entry, part)) }));
}

function daysWith(part: ReleasePart, releases: readonly CatalogEntry[]): readonly Day[] {
  return releases.filter(({ parts }) => parts.includes(part)).map(({ day }) => day);
}

/** Captured days: a start anywhere around leap years, then up to 500 nights, with gaps of days and at times of months. */
const Calendar = fc
  .record({
    start: fc.integer({ min: 0, max: 8 * 366 }).map((days) => addDays('2023-01-01', days)),
    steps: fc.array(
      fc.oneof(
        { weight: 60, arbitrary: fc.constant(1) },
        { weight: 6, arbitrary: fc.integer({ min: 2, max: 9 }) },
        { weight: 1, arbitrary: fc.integer({ min: 25, max: 70 }) },
      ),
      { maxLength: 500, size: 'max' },
    ),
  })
  .map(({ start, steps }) => {
    let day = start;
    return [
      start,
      ...steps.map((step) => {
        day = addDays(day, step);
        return day;
      }),
    ];
  });

const AnyRetention: fc.Arbitrary<Retention> = fc.oneof(
  fc.constant(RETENTION),
  fc.record({
    changesMonths: fc.integer({ min: 1, max: 15 }),
    snapshots: fc.integer({ min: 1, max: 100 }),
    states: fc.integer({ min: 1, max: 10 }),
  }),
);

/** The same promise, counted out day by day: walks back a calendar rather than computing with it. */
function expectedDays(days: readonly Day[], { changesMonths, snapshots, states }: Retention) {
  const newest = days.at(-1) ?? '';
  const [year, month, date] = [newest.slice(0, 4), newest.slice(5, 7), Number(newest.slice(8))];
  const months = Number(year) * 12 + Number(month) - 1 - changesMonths;
  const prefix = `${Math.floor(months / 12)}-${String((months % 12) + 1).padStart(2, '0')}`;
  const daysOfMonth = Array.from(
    { length: 31 },
    (_, index) => `${prefix}-${String(index + 1).padStart(2, '0')}`,
  ).filter((day) => addDays(addDays(day, -1), 1) === day);
  const cutoff = daysOfMonth[Math.min(date, daysOfMonth.length) - 1] ?? '';
  return {
    changes: days.filter((day) => day >= cutoff),
    snapshot: days.filter(
      (day, index) => days.length - index <= snapshots || days[index + 1]?.slice(0, 7) !== day.slice(0, 7),
    ),
    state: days.slice(Math.max(0, days.length - states)),
  };
}

describe('retention', () => {
  it('keeps, on any calendar, 13 months of changes, 90 snapshots and month-ends, 7 states', () => {
    fc.assert(
      fc.property(Calendar, AnyRetention, (days, retention) => {
        const kept = prunedBy(
          days.map((day) => release(day)),
          retention,
        );
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
          nightly = [...nightly, release(day)];
          if (index % every === 0) nightly = prunedBy(nightly, retention);
        }
        const once = prunedBy(
          days.map((day) => release(day)),
          retention,
        );
        expect(prunedBy(nightly, retention)).toEqual(once);
      }),
      { numRuns: 60 },
    );
  });

  it('keeps the last snapshot that a month still has where the month-end itself is lost', () => {
    const releases = [release('2026-01-30'), release('2026-01-31', ['changes']), release('2026-02-01')];
    expect(daysWith('snapshot', prunedBy(releases, { ...RETENTION, snapshots: 1 }))).toEqual([
      '2026-01-30',
      '2026-02-01',
    ]);
  });

  it('takes nothing away because no night ran for years', () => {
    const releases = ['2023-12-31', '2024-01-01'].map((day) => release(day));
    expect(findExpired(releases, RETENTION, LATER)).toEqual([]);
  });

  it('takes nothing away because of a day in the future, and nothing of that day', () => {
    const days = ['2025-01-31', '2025-06-28', '2025-06-29', '2025-06-30'];
    const future = ['2031-01-01', '2031-01-02'];
    const releases = [...days, ...future].map((day) => release(day));
    const rules = { changesMonths: 13, snapshots: 2, states: 1 };
    const without = findExpired(releases.slice(0, days.length), rules, '2025-07-01');
    expect(findExpired(releases, rules, '2025-07-01')).toEqual(without);
    expect(without.some(({ part }) => part === 'changes')).toBe(false);
  });

  it('takes nothing away where the clock stands before all of it', () => {
    expect(findExpired([release('2025-06-29'), release('2025-06-30')], RETENTION, '1970-01-01')).toEqual([]);
  });

  it('says which rule a part has outlived', () => {
    const releases = ['2024-02-28', '2024-02-29', '2025-03-30'].map((day) => release(day));
    const rules = { changesMonths: 13, snapshots: 1, states: 1 };
    const reasons = findExpired(releases, rules, LATER).map(
      ({ release: { day }, part, reason }) => `${day} ${part}: ${reason}`,
    );
    expect(reasons).toEqual([
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
        const catalog = catalogOf(
          prunedBy(
            days.map((day) => release(day)),
            retention,
          ),
        );
        expect(retainedFrom(catalog)).toBe(expectedDays(days, retention).changes[0]);
      }),
    );
  });

  it('is null before the first night', () => {
    expect(retainedFrom(undefined)).toBeNull();
    expect(retainedFrom(catalogOf([]))).toBeNull();
  });

  it('never reaches behind a release without changes: a feed has no holes', () => {
    const releases = [
      release('2026-01-01'),
      release('2026-01-02', ['state']),
      release('2026-01-03'),
      release('2026-01-04'),
    ];
    expect(retainedFrom(catalogOf(releases))).toBe('2026-01-03');
    expect(retainedFrom(catalogOf(releases.slice(0, 2)))).toBeNull();
  });
});
