import { addDays, type Day } from '../../../runtime/day.ts';
import type { DayScale } from '../scales/day-scale.ts';
import { type Held, type Interval, isHeld } from '../scales/intervals.ts';
import type { StepSeries } from './step-lines.tsx';

/** Days over which nothing changes in any series, and what each series that has a value holds. */
export interface Stretch<T extends Interval> {
  readonly from: Day;
  readonly to: Day;
  readonly held: readonly {
    readonly name: string;
    /** The place of the series among all, which decides how it looks. */
    readonly look: number;
    readonly interval: Held<T>;
  }[];
}

/** More stretches than this are too narrow to be pointed at; then there are none, and the table tells. */
export const STRETCHES_MAX = 500;

/** All days shown, cut wherever an interval of some series begins or ends. */
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
    const held = series.flatMap(({ name, intervals }, look) => {
      const interval = intervals.filter(isHeld).find((one) => one.from <= from && from <= one.to);
      return interval ? [{ name, look, interval }] : [];
    });
    return { from, to: next === undefined ? days.to : addDays(next, -1), held };
  });
}
