import { addDays, type Day, isDay } from '../../../runtime/day.ts';
import { AppError } from '../../../runtime/errors.ts';

/**
 * Per UTC day, API key, route and client source (specification "Usage details"); also the names of columns, CSV and
 * JSON fields. A request with a valid key counts once, at its end.
 */
export const COUNT_NAMES = [
  /** All requests, whatever their outcome. */
  'requests',
  /** Units of the daily quota taken and not released. */
  'units',
  /** Responses 304, which cost no unit. */
  'not_modified',
  /** Data responses on a unit that the Idempotency-Key already held. */
  'shared_units',
  /** 429 by the organization's burst limit or the route's backstop. */
  'rate_limited',
  /** 429 because the daily quota was used up. */
  'quota_exceeded',
  /** Other 4xx. */
  'client_errors',
  /** 5xx. */
  'server_errors',
  /** The client disconnected before the response began. */
  'aborted',
] as const;
export type CountName = (typeof COUNT_NAMES)[number];

export type RequestCounts = Readonly<Record<CountName, number>>;

export const NO_REQUESTS: RequestCounts = countsOf(() => 0);

export function countsOf(count: (name: CountName) => number): RequestCounts {
  // Object.fromEntries loses the names' types.
  return Object.fromEntries(COUNT_NAMES.map((name) => [name, count(name)])) as RequestCounts;
}

export function sumOfCounts(all: readonly RequestCounts[]): RequestCounts {
  return countsOf((name) => all.reduce((sum, counts) => sum + counts[name], 0));
}

/** UTC days, inclusive. */
export interface DayRange {
  readonly from: Day;
  readonly to: Day;
}

/** As many days as usage can be stored. */
export const RANGE_DAYS_MAX = 36_500;

const DAY_MS = 86_400_000;

/** Throws `usage`. */
export function assertDayRange({ from, to }: DayRange): void {
  if (!isDay(from) || !isDay(to)) throw new AppError('usage', `a day must be YYYY-MM-DD, not '${from}' or '${to}'`);
  if (from > to) throw new AppError('usage', `the range begins on ${from}, after its end on ${to}`);
  if (countDays({ from, to }) > RANGE_DAYS_MAX)
    throw new AppError('usage', `the range has more than ${RANGE_DAYS_MAX} days`);
}

/** Oldest first. */
export function daysOf(range: DayRange): readonly Day[] {
  return Array.from({ length: countDays(range) }, (_, index) => addDays(range.from, index));
}

/** Oldest first; reading a part delays others only briefly. */
export function partsOf(range: DayRange): readonly DayRange[] {
  const days = daysOf(range);
  const length = Math.max(PART_DAYS_MIN, Math.ceil(days.length / PARTS_MAX));
  return Array.from({ length: Math.ceil(days.length / length) }, (_, index) => {
    const part = days.slice(index * length, (index + 1) * length);
    return { from: part[0] ?? range.from, to: part.at(-1) ?? range.to };
  });
}

/** A week of a hundred keys takes some 10 ms to read. */
const PART_DAYS_MIN = 7;
/** Each costs a round trip. */
const PARTS_MAX = 60;

function countDays({ from, to }: DayRange): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;
}
