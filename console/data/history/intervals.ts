import { addDays, type Day } from '../../../schemas/day.ts';

/** A point of a history answer: a day on which something was recorded. */
export interface Point {
  readonly date: Day;
}

/** Days on which a value held, both included. */
export interface HeldInterval {
  readonly from: Day;
  readonly to: Day;
  readonly value: number | null;
}

/**
 * The stretches of days over which a value stayed the same, oldest first. A day without a point ends one, so what nobody recorded stays
 * a gap.
 *
 * @param points one a day at most, in the order of their days
 */
export function intervalsFrom<P extends Point>(
  points: readonly P[],
  valueAt: (point: P) => number | null,
): readonly HeldInterval[] {
  const intervals: { from: Day; to: Day; value: number | null }[] = [];
  for (const point of points) {
    const value = valueAt(point);
    const last = intervals.at(-1);
    if (last !== undefined && last.value === value && addDays(last.to, 1) === point.date) last.to = point.date;
    else intervals.push({ from: point.date, to: point.date, value });
  }
  return intervals;
}
