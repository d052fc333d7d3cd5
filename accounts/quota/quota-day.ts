import { addMonths, type Day, dayFromDate } from '../../schemas/day.ts';
import { HISTORY_MONTHS_FULL } from '../plans/plans.ts';

const DAY_SECONDS = 86_400;
const DAY_MS = DAY_SECONDS * 1000;

/** The UTC day whose counters an instant belongs to, and when the next one begins (specification "Daily quota"). */
export interface QuotaDay {
  readonly day: Day;
  /** Unix seconds of the next 00:00:00 UTC. */
  readonly resetAt: number;
}

export function quotaDayAt(now: Date): QuotaDay {
  return { day: dayFromDate(now), resetAt: (Math.floor(now.getTime() / DAY_MS) + 1) * DAY_SECONDS };
}

/** The instant at which the UTC month of `now` ends, which is the first of the next one. */
export function monthEnd(now: Date): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));
}

/**
 * The oldest day that may be queried: today minus so many calendar months, or the last day of a month that is too short
 * (specification "Plan window"). Null where the window reaches back to the first day.
 */
export function planWindowStart(historyMonths: number, today: Day): Day | null {
  return historyMonths >= HISTORY_MONTHS_FULL ? null : addMonths(today, -historyMonths);
}
