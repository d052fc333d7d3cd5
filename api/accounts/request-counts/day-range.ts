import { addDays, type Day, isDay } from '../../../runtime/day.ts';
import { AppError } from '../../../runtime/errors.ts';

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

/** The range in parts, oldest first, so that reading it holds up others for a part at a time. */
export function partsOf(range: DayRange): readonly DayRange[] {
  const days = daysOf(range);
  const length = Math.max(PART_DAYS_MIN, Math.ceil(days.length / PARTS_MAX));
  return Array.from({ length: Math.ceil(days.length / length) }, (_, index) => {
    const part = days.slice(index * length, (index + 1) * length);
    return { from: part[0] ?? range.from, to: part.at(-1) ?? range.to };
  });
}

/** A week of a hundred keys is read in some 10 ms. */
const PART_DAYS_MIN = 7;
/** Each costs a round trip. */
const PARTS_MAX = 60;

function countDays({ from, to }: DayRange): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;
}
