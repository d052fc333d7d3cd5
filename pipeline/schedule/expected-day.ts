import { addDays, type Day, dayFromDate } from '../../schemas/day.ts';
import type { Cron } from './cron.ts';
import { retryDeadline } from './retry.ts';

export interface Expectation {
  readonly cron: Pick<Cron, 'firstRunOn'>;
  /** Time of the UTC day, `HH:MM`, from which on a day that had a due time and is not published is late. */
  readonly lateAfter: string;
}

/** No cron expression leaves a longer gap but those for one day of a year. */
const DAYS_BACK_MAX = 366;

/** The newest day that should be published by now; undefined where no night was due for a year. */
export function findExpectedDay(now: Date, { cron, lateAfter }: Expectation): Day | undefined {
  let day = dayFromDate(now);
  for (let back = 0; back <= DAYS_BACK_MAX; back += 1, day = addDays(day, -1)) {
    if (retryDeadline(day, { until: lateAfter }) > now) continue;
    const due = cron.firstRunOn(day);
    if (due !== undefined && due <= now) return day;
  }
  return undefined;
}
