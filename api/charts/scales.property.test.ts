import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addDays } from '../../runtime/day.ts';
import { someDay, someIntervals, someValue } from '../../test/support/charts/drawings.ts';
import { dayTicks, FINE_TICKS_MAX } from './axes.tsx';
import { changesOf, gapsOf, intervalsFromPoints, isHeld, runsOf, shownIntervals } from './intervals.ts';
import { dayScale, rankScale, VALUE_TICKS_MAX, valueScale } from './scales.ts';

const HEIGHT = 190;
const someSpan = fc.tuple(someDay, fc.oneof(fc.integer({ min: 1, max: 800 }), fc.integer({ min: 1, max: 40_000 })));

test('value ticks lie within the scale, in order, at most six, and every value within the plot', () => {
  fc.assert(
    fc.property(fc.array(someValue), fc.boolean(), fc.boolean(), (values, fromZero, whole) => {
      const scale = valueScale(values, { height: HEIGHT, fromZero, whole });
      expect(scale.ticks.length).toBeLessThanOrEqual(VALUE_TICKS_MAX);
      expect(scale.ticks.toSorted((a, b) => a - b)).toEqual(scale.ticks);
      expect(new Set(scale.ticks).size).toBe(scale.ticks.length);
      for (const tick of scale.ticks) expect(tick >= scale.low && tick <= scale.high).toBe(true);
      for (const value of [...values, ...scale.ticks]) {
        const y = scale.yOf(value);
        expect(y >= 0 && y <= HEIGHT).toBe(true);
      }
    }),
  );
});

test.each([
  [-Number.MAX_VALUE, Number.MAX_VALUE],
  [0, 1e-280],
  [1e6, 1e6 + 1],
  [0.61234567, 0.61234568],
])('%d and %d are drawn apart, with ticks', (low, high) => {
  const scale = valueScale([low, high], { height: HEIGHT, fromZero: false });
  expect(scale.yOf(low) - scale.yOf(high)).toBeGreaterThan(HEIGHT / 3);
  expect(scale.ticks).not.toHaveLength(0);
});

test('a scale from zero has zero on it, and larger values stand higher', () => {
  const scale = valueScale([0.5, 2.5], { height: HEIGHT, fromZero: true });
  expect(scale.yOf(0)).toBe(HEIGHT);
  expect(scale.yOf(2.5)).toBeLessThan(scale.yOf(0.5));
  expect(scale.ticks).toEqual([0, 0.5, 1, 1.5, 2, 2.5]);
  expect(valueScale([Number.NaN], { height: HEIGHT, fromZero: true }).ticks, 'without any value').toEqual([]);
});

test('the first rank stands on top, and ticks are whole and begin with it', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.nat(400), someValue)), (ranks) => {
      const scale = rankScale(ranks, HEIGHT);
      expect(scale.yOf(1)).toBe(0);
      expect(scale.ticks[0]).toBe(ranks.some(Number.isFinite) ? 1 : undefined);
      expect(scale.ticks.length).toBeLessThanOrEqual(VALUE_TICKS_MAX);
      expect(scale.ticks.every((tick, i) => Number.isInteger(tick) && tick > (scale.ticks[i - 1] ?? 0))).toBe(true);
      for (const rank of ranks) expect(scale.yOf(rank) >= 0 && scale.yOf(rank) <= HEIGHT).toBe(true);
    }),
  );
});

test('day ticks lie within the days shown, in order, few enough', () => {
  fc.assert(
    fc.property(someSpan, ([from, count]) => {
      const scale = dayScale(from, addDays(from, count - 1));
      const { fine, coarse } = dayTicks(scale);
      expect(fine.length).toBeLessThanOrEqual(FINE_TICKS_MAX);
      for (const row of [fine, coarse]) {
        const days = row.map(({ day }) => day);
        expect(days.every((day, i) => day >= scale.from && day <= scale.to && day > (days[i - 1] ?? ''))).toBe(true);
      }
    }),
  );
});

test.each([
  ['2026-08-24', '2026-11-21', '24 31 7 14 21 28 5 12 19 26 2 9 16', ' Sep 2026 Oct Nov'],
  ['2025-06-04', '2026-06-29', 'Jul Aug Sep Oct Nov Dec Jan Feb Mar Apr May Jun', '2025 2026'],
  ['2026-11-01', '2026-11-07', '1 2 3 4 5 6 7', 'Nov 2026'],
  ['2016-01-01', '2026-01-01', '2016 2017 2018 2019 2020 2021 2022 2023 2024 2025 2026', ''],
])('from %s to %s the axis says %s, below it %s', (from, to, fine, coarse) => {
  const rows = dayTicks(dayScale(from, to));
  expect(rows.fine.map(({ label }) => label).join(' ')).toBe(fine);
  expect(rows.coarse.map(({ label }) => label).join(' ')).toBe(coarse);
});

test('runs and gaps together are every day shown, once', () => {
  fc.assert(
    fc.property(
      someDay.chain((from) => fc.tuple(fc.constant(from), someIntervals(from), fc.integer({ min: 1, max: 400 }))),
      ([from, intervals, count]) => {
        const days = dayScale(from, addDays(from, count - 1));
        const shown = shownIntervals(intervals, days.from, days.to);
        const parts = [...runsOf(shown).flat(), ...gapsOf(shown, days.from, days.to)];
        const covered = parts.reduce((sum, part) => sum + dayScale(part.from, part.to).count, 0);
        expect(covered).toBe(days.count);
      },
    ),
  );
});

test('a change is where the value differs from the last known one, also across a gap', () => {
  const intervals = [
    { from: '2026-01-01', to: '2026-01-05', value: 2 },
    { from: '2026-01-06', to: '2026-01-07', value: 2 },
    { from: '2026-01-08', to: '2026-01-09', value: null },
    { from: '2026-01-12', to: '2026-01-12', value: 2 },
    { from: '2026-01-15', to: '2026-01-20', value: 3 },
  ];
  expect(changesOf(intervals).map(({ interval, before }) => [interval.from, before?.to])).toEqual([
    ['2026-01-01', undefined],
    ['2026-01-15', '2026-01-12'],
  ]);
  expect(runsOf(intervals).map((run) => run.length)).toEqual([2, 1, 1]);
});

test('single days become intervals that tell the same', () => {
  const somePoints = fc.uniqueArray(fc.record({ days: fc.nat(60), value: fc.constantFrom(1, 2, null) }), {
    selector: ({ days }) => days,
  });
  fc.assert(
    fc.property(someDay, somePoints, (from, some) => {
      const points = some.map(({ days, value }) => ({ date: addDays(from, days), value }));
      const intervals = intervalsFromPoints(points);
      for (const { date, value } of points) {
        const there = intervals.filter((one) => one.from <= date && date <= one.to);
        expect(there.map((one) => one.value)).toEqual([value]);
      }
      const held = intervals.filter(isHeld);
      const isNew = (one: (typeof held)[number], before = held[-1]) =>
        one.value !== before?.value || addDays(before.to, 1) !== one.from;
      expect(held.every((one, i) => isNew(one, held[i - 1]))).toBe(true);
    }),
  );
});
