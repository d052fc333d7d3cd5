import { addDays, type Day, isDay } from '../../schemas/day.ts';
import { AppError } from '../../schemas/errors.ts';

/** UTC days, both included. */
export interface DayRange {
  readonly from: Day;
  readonly to: Day;
}

/** Days of a range at most: as many as usage can be kept for. */
export const RANGE_DAYS_MAX = 36_500;

const DAY_MS = 86_400_000;

/** Throws `usage` where a range is none, or too long. */
export function assertDayRange({ from, to }: DayRange): void {
  if (!isDay(from) || !isDay(to)) throw new AppError('usage', `a day is written YYYY-MM-DD, not '${from}' or '${to}'`);
  if (from > to) throw new AppError('usage', `the range begins on ${from}, after its end on ${to}`);
  if (countDays({ from, to }) > RANGE_DAYS_MAX)
    throw new AppError('usage', `the range has more than ${RANGE_DAYS_MAX} days`);
}

/** Every day of a range, oldest first. */
export function daysOf(range: DayRange): readonly Day[] {
  return Array.from({ length: countDays(range) }, (_, index) => addDays(range.from, index));
}

function countDays({ from, to }: DayRange): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;
}
