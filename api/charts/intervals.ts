import { addDays, type Day } from '../../runtime/day.ts';
import type { DayScale } from './scales.ts';

/** Days, both ends included, over which a value held; null: known to be absent. */
export interface Interval {
  readonly from: Day;
  readonly to: Day;
  readonly value: number | null;
}

export type Held<T extends Interval = Interval> = T & { readonly value: number };

export interface Gap {
  readonly from: Day;
  readonly to: Day;
}

export interface Change<T extends Interval = Interval> {
  readonly interval: Held<T>;
  /** Undefined for the first value. */
  readonly before: Held<T> | undefined;
}

/** In order, cut to the days shown; values that are not finite become null. */
export function shownIntervals<T extends Interval>(intervals: readonly T[], from: Day, to: Day): readonly T[] {
  return intervals
    .filter((interval) => interval.from <= interval.to && interval.to >= from && interval.from <= to)
    .map((interval) => ({
      ...interval,
      from: interval.from < from ? from : interval.from,
      to: interval.to > to ? to : interval.to,
      value: Number.isFinite(interval.value) ? interval.value : null,
    }))
    .sort((a, b) => (a.from < b.from ? -1 : Number(a.from > b.from)));
}

export function isHeld<T extends Interval>(interval: T): interval is Held<T> {
  return interval.value !== null;
}

/** Values that differ from the last known one, also across gaps, and the first. */
export function changesOf<T extends Interval>(shown: readonly T[]): readonly Change<T>[] {
  return shown
    .filter(isHeld)
    .map((interval, i, held) => ({ interval, before: held[i - 1] }))
    .filter(({ interval, before }) => before?.value !== interval.value);
}

/** Adjacent intervals with values, which a line connects. */
export function runsOf<T extends Interval>(shown: readonly T[]): readonly (readonly Held<T>[])[] {
  const runs: Held<T>[][] = [];
  for (const interval of shown.filter(isHeld)) {
    const run = runs.at(-1);
    const last = run?.at(-1);
    if (run && last && interval.from <= addDays(last.to, 1)) run.push(interval);
    else runs.push([interval]);
  }
  return runs;
}

/** Shown days without a value in any interval. */
export function gapsOf(shown: readonly Interval[], from: Day, to: Day): readonly Gap[] {
  const gaps: Gap[] = [];
  let next = from;
  for (const interval of shown.filter(isHeld).toSorted((a, b) => (a.from < b.from ? -1 : 1))) {
    if (interval.from > next) gaps.push({ from: next, to: addDays(interval.from, -1) });
    const after = addDays(interval.to, 1);
    if (after > next) next = after;
  }
  return next <= to ? [...gaps, { from: next, to }] : gaps;
}

/** Joins adjacent days with the same value. */
export function intervalsFromPoints(
  points: readonly { readonly date: Day; readonly value: number | null }[],
): Interval[] {
  const intervals: Interval[] = [];
  for (const { date, value } of points.toSorted((a, b) => (a.date < b.date ? -1 : 1))) {
    const last = intervals.at(-1);
    if (last && last.value === value && addDays(last.to, 1) === date)
      intervals[intervals.length - 1] = { ...last, to: date };
    else intervals.push({ from: date, to: date, value });
  }
  return intervals;
}

/** In order and within the days shown. */
export interface StepSeries<T extends Interval = Interval> {
  readonly name: string;
  readonly intervals: readonly T[];
}

/** Days over which no series changes, with the values held. */
export interface Stretch<T extends Interval> {
  readonly from: Day;
  readonly to: Day;
  readonly held: readonly {
    readonly name: string;
    /** Index of the series, which selects its style. */
    readonly style: number;
    readonly interval: Held<T>;
  }[];
}

/** More would be too narrow to point at; then only the table has the values. */
const STRETCHES_MAX = 500;

/** Split wherever an interval begins or ends. */
export function stretchesOf<T extends Interval>(
  series: readonly StepSeries<T>[],
  days: DayScale,
): readonly Stretch<T>[] {
  const starts = new Set([days.from]);
  for (const { from, to } of series.flatMap(({ intervals }) => intervals)) {
    starts.add(from);
    if (to < days.to) starts.add(addDays(to, 1));
  }
  const sorted = [...starts].sort();
  if (sorted.length > STRETCHES_MAX) return [];
  return sorted.map((from, i) => {
    const next = sorted[i + 1];
    const held = series.flatMap(({ name, intervals }, style) => {
      const interval = intervals.filter(isHeld).find((one) => one.from <= from && from <= one.to);
      return interval ? [{ name, style, interval }] : [];
    });
    return { from, to: next === undefined ? days.to : addDays(next, -1), held };
  });
}
