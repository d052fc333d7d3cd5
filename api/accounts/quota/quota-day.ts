import { type Day, dayFromDate } from '../../../runtime/day.ts';

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

/** Tells the day of instants, at little cost for one that is in the day that was told last. */
export function quotaDayTeller(): (now: Date) => QuotaDay {
  let last: QuotaDay | undefined;
  return (now) => {
    const aheadSeconds = last === undefined ? Number.NaN : last.resetAt - now.getTime() / 1000;
    if (last === undefined || !(aheadSeconds > 0 && aheadSeconds <= DAY_SECONDS)) last = quotaDayAt(now);
    return last;
  };
}
