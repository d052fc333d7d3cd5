import { addDays, type Day, dayFromDate } from '../../../runtime/day.ts';
import type { Cron } from './cron.ts';
import { retryDeadline } from './retry.ts';

export interface Expectation {
  readonly cron: Pick<Cron, 'firstRunOn'>;
  /**
   * Time of the UTC day, `HH:MM`, from which on a day that had a due time and is not published is late: of the next day, where its night
   * is due only then.
   */
  readonly lateAfter: string;
}

/** No cron expression leaves a longer gap but those for one day of a year. */
const DAYS_BACK_MAX = 366;

/** The newest day that should be published by now; undefined where no night was due for a year. */
export function findExpectedDay(now: Date, { cron, lateAfter }: Expectation): Day | undefined {
  return findNewest(now, cron, (day, due) => {
    const sameDay = retryDeadline(day, { until: lateAfter });
    return sameDay > due ? sameDay : retryDeadline(addDays(day, 1), { until: lateAfter });
  });
}

/** The newest day whose night was due; undefined where none was for a year. */
export function findDueDay(now: Date, { cron }: Pick<Expectation, 'cron'>): Day | undefined {
  return findNewest(now, cron, (_, due) => due);
}

/** The newest day with a due time whose instant has come. */
function findNewest(now: Date, cron: Expectation['cron'], instantOf: (day: Day, due: Date) => Date): Day | undefined {
  let day = dayFromDate(now);
  for (let back = 0; back <= DAYS_BACK_MAX; back += 1, day = addDays(day, -1)) {
    const due = cron.firstRunOn(day);
    if (due !== undefined && instantOf(day, due) <= now) return day;
  }
  return undefined;
}
