import { addMonths, type Day } from '../../../runtime/day.ts';
import { HISTORY_MONTHS_FULL } from './plans.ts';

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
