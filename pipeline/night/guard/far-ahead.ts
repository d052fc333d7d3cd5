import { addDays, type Day, dayFromDate, daysBetween } from '../../../runtime/day.ts';
import type { Hold } from '../../../schemas/release.ts';
import type { ObjectStore } from '../../../storage/object-store.ts';

/**
 * So long a store may rest where nothing but this machine's clock says which day it is. Smaller: more stores that were left alone for a
 * season are held once. Larger: more jumps of a clock publish a day that stands in the way of every night until then.
 */
const REST_DAYS_MAX = 92;

export interface DayAhead {
  readonly day: Day;
  /** By this machine's clock. */
  readonly now: Date;
  /** Of the newest release; undefined before the first. */
  readonly newest: Day | undefined;
  /** Whether the source has a folder of the day's name. */
  readonly isDated: boolean;
}

/**
 * What makes a night's day look like a mistake of this machine's clock (specification "Guard"; decision 0098): it lies more
 * than a day after the newest release, and more than a day after what the store's own clock says. A folder on this machine has no clock
 * of its own: there a long rest is held, unless the source itself names the day.
 */
export function holdOfDay(
  { day, now, newest, isDated }: DayAhead,
  store: Pick<ObjectStore, 'clockAheadMs'>,
): readonly Hold[] {
  if (newest !== undefined && day <= addDays(newest, 1)) return [];
  const after = newest === undefined ? `${day} would be the first day` : daysAfter(day, newest);
  const hint = 'is the clock of this machine right? A day in the future stands in the way of every night until then';
  const storeAheadMs = store.clockAheadMs();
  if (storeAheadMs !== undefined) {
    const storeDay = dayFromDate(new Date(now.getTime() + storeAheadMs));
    if (day <= addDays(storeDay, 1)) return [];
    return [{ rule: 'day_ahead', message: `${after}, and by the store's clock today is ${storeDay}; ${hint}` }];
  }
  const isRest = newest === undefined || daysBetween(newest, day) <= REST_DAYS_MAX;
  if (isDated || isRest || day !== dayFromDate(now)) return [];
  return [{ rule: 'day_ahead', message: `${after}, and nothing but this machine says so; ${hint}` }];
}

function daysAfter(day: Day, newest: Day): string {
  return `${day} is ${daysBetween(newest, day)} days after the newest snapshot ${newest}`;
}
