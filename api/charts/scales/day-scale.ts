import { addDays, type Day } from '../../../runtime/day.ts';

const DAY_MS = 86_400_000;

/** Where days lie from left to right, in percent of the width: a day is a stretch, not a point. */
export interface DayScale {
  readonly from: Day;
  readonly to: Day;
  /** How many days are shown, at least 1. */
  readonly count: number;
  /** The left edge of a day; days outside lie on the edge that is nearer. */
  startOf(day: Day): number;
  /** The right edge of a day, which is where the next one begins. */
  endOf(day: Day): number;
}

/** The scale of all days from one to another, both included; when they are in the wrong order, of the first alone. */
export function dayScale(from: Day, to: Day): DayScale {
  const count = Math.max(1, daysBetween(from, to) + 1);
  const positionOf = (index: number) => (Math.min(Math.max(index, 0), count) / count) * 100;
  return {
    from,
    to: addDays(from, count - 1),
    count,
    startOf: (day) => positionOf(daysBetween(from, day)),
    endOf: (day) => positionOf(daysBetween(from, day) + 1),
  };
}

/** How many days later the second day is; negative when it is earlier. */
export function daysBetween(from: Day, to: Day): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / DAY_MS);
}
