import { addDays, type Day, isDay } from '../../../runtime/day.ts';
import { AppError } from '../../../runtime/errors.ts';

/**
 * What is counted of the requests of one UTC day, API key, route and client source (specification "Usage details"), under the
 * names that the columns of `request_counts`, the CSV and JSON have. A request with a valid key counts once, at its end.
 */
export const COUNT_NAMES = [
  /** All of them, whatever became of them. */
  'requests',
  /** Units of the daily quota that they took and did not give back. */
  'units',
  /** Answered 304, which costs no unit. */
  'not_modified',
  /** Answered with data on a unit that their Idempotency-Key held already. */
  'shared_units',
  /** Refused with 429 by the organization's burst limit or the route's backstop. */
  'rate_limited',
  /** Refused with 429 because the daily quota was used up. */
  'quota_exceeded',
  /** Refused with another 4xx. */
  'client_errors',
  /** Answered 5xx. */
  'server_errors',
  /** Whose client was gone before anything of the answer was sent. */
  'aborted',
] as const;
export type CountName = (typeof COUNT_NAMES)[number];

export type RequestCounts = Readonly<Record<CountName, number>>;

export const NO_REQUESTS: RequestCounts = countsOf(() => 0);

/** Counts that are told name by name. */
export function countsOf(count: (name: CountName) => number): RequestCounts {
  // fromEntries doesn't know that all names are there.
  return Object.fromEntries(COUNT_NAMES.map((name) => [name, count(name)])) as RequestCounts;
}

export function sumOfCounts(all: readonly RequestCounts[]): RequestCounts {
  return countsOf((name) => all.reduce((sum, counts) => sum + counts[name], 0));
}

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
