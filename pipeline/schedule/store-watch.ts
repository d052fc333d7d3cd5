import { addDays, type Day, dayFromDate } from '../../runtime/day.ts';
import { messageFromError } from '../../runtime/errors.ts';
import type { ReleaseFacts } from '../../storage/release-metrics.ts';
import type { Cron } from './cron.ts';
import { retryDeadline } from './run-day.ts';

/** What a look at the store tells, which no night of this scheduler does. */
export type StoreEvent =
  /** The newest snapshot is another one than at the last look, whoever published it. */
  | { readonly type: 'release_seen'; readonly day: Day; readonly release: ReleaseFacts }
  /** A day that was due is not published by the time at which it should be; told once. */
  | { readonly type: 'late'; readonly day: Day; readonly reason: string };

export interface StoreWatchDeps extends Expectation {
  /** What the newest release tells; undefined where there is none. Ends early, with whatever, when the signal aborts. */
  readonly readNewest: (stop: AbortSignal) => Promise<ReleaseFacts | undefined>;
  readonly clock: () => Date;
  readonly onEvent: (event: StoreEvent) => void;
}

/** Smaller: needless processes and requests. Larger: a night that was published by hand is noticed later. */
const LOOK_MS = 5 * 60_000;

/**
 * Looks at the store beside the nights: whether somebody else has published, and whether a day is late. Where the newest day that was due is
 * published there is nothing to look for.
 */
export class StoreWatch {
  readonly #deps: StoreWatchDeps;
  readonly #stop = new AbortController();
  #lookedAt: Date | undefined;
  #isLooking = false;
  #newest: ReleaseFacts | undefined;
  /** The newest day for which it was found out whether it is late. */
  #judged: Day | undefined;
  /** The first day whose night was begun here. */
  #begun: Day | undefined;

  constructor(deps: StoreWatchDeps) {
    this.#deps = deps;
  }

  /** A night has begun: its day is late where it is not published in time, even on a store that has no snapshot yet. */
  begin(day: Day): void {
    this.#begun ??= day;
  }

  /** The next look is due at once: a night has just published. */
  wake(): void {
    this.#lookedAt = undefined;
  }

  /** Ends a look that is under way, and all others. */
  stop(): void {
    this.#stop.abort();
  }

  /** Looks where it is time to; called every minute. Never rejects. */
  async look(): Promise<void> {
    const { clock, cron, lateAfter, onEvent } = this.#deps;
    const now = clock();
    const expected = findExpectedDay(now, { cron, lateAfter });
    const toJudge = expected === this.#judged ? undefined : expected;
    if (this.#isLooking || this.#stop.signal.aborted || (toJudge === undefined && !this.#isDue(now))) return;
    this.#isLooking = true;
    this.#lookedAt = now;
    try {
      await this.#see(toJudge);
    } catch (error) {
      // The nights tell of a store that is down; here it matters only where nobody else would.
      const reason = `not known to be published by ${lateAfter} UTC: ${messageFromError(error)}`;
      if (toJudge !== undefined && !this.#stop.signal.aborted) onEvent({ type: 'late', day: toJudge, reason });
    } finally {
      this.#judged = expected;
      this.#isLooking = false;
    }
  }

  #isDue(now: Date): boolean {
    if (this.#lookedAt === undefined) return true;
    const lastDue = findDueDay(now, this.#deps);
    const isMissing = lastDue !== undefined && (this.#newest === undefined || this.#newest.day < lastDue);
    return isMissing && now.getTime() - this.#lookedAt.getTime() >= LOOK_MS;
  }

  async #see(toJudge: Day | undefined): Promise<void> {
    const { readNewest, lateAfter, onEvent } = this.#deps;
    const before = this.#newest;
    const newest = await readNewest(this.#stop.signal);
    if (this.#stop.signal.aborted) return;
    this.#newest = newest;
    if (newest !== undefined && newest.published_at !== before?.published_at)
      onEvent({ type: 'release_seen', day: newest.day, release: newest });
    if (toJudge === undefined || (newest !== undefined && newest.day >= toJudge)) return;
    // A store that is new has no night to miss before its first was begun.
    if (newest === undefined && (this.#begun === undefined || this.#begun > toJudge)) return;
    const reason = `not published by ${lateAfter} UTC; the newest snapshot is ${newest === undefined ? 'none' : `of ${newest.day}`}`;
    onEvent({ type: 'late', day: toJudge, reason });
  }
}

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
