import { addDays, type Day, dayFromDate } from '../../runtime/day.ts';
import { messageFromError } from '../../runtime/errors.ts';
import type { ReleaseFacts } from '../../storage/release-metrics.ts';
import type { Cron } from './cron.ts';
import { retryDeadline } from './run-day.ts';

/** What this scheduler's nights don't report. */
export type StoreEvent =
  /** By any publisher. */
  | { readonly type: 'release_seen'; readonly day: Day; readonly release: ReleaseFacts }
  /** Reported once. */
  | { readonly type: 'late'; readonly day: Day; readonly reason: string };

export interface StoreWatchDeps extends Expectation {
  /** Undefined without a release. */
  readonly readNewest: (stop: AbortSignal) => Promise<ReleaseFacts | undefined>;
  readonly clock: () => Date;
  readonly onEvent: (event: StoreEvent) => void;
}

/** Smaller: needless processes and requests. Larger: manual publications are noticed later. */
const POLL_MS = 5 * 60_000;

/** Polls the store for publications by others and for late days, unless the newest due day is published. */
export class StoreWatch {
  readonly #deps: StoreWatchDeps;
  readonly #stop = new AbortController();
  #polledAt: Date | undefined;
  #isPolling = false;
  #newest: ReleaseFacts | undefined;
  /** The newest day already checked for lateness. */
  #checked: Day | undefined;
  /** The first day whose night began here. */
  #begun: Day | undefined;

  constructor(deps: StoreWatchDeps) {
    this.#deps = deps;
  }

  /** Makes a day count as late even on a store without snapshots. */
  begin(day: Day): void {
    this.#begun ??= day;
  }

  /** Makes the next poll due at once, after a publication. */
  wake(): void {
    this.#polledAt = undefined;
  }

  /** Ends a running poll, and all others. */
  stop(): void {
    this.#stop.abort();
  }

  /** Polls if due; called every minute. Never rejects. */
  async poll(): Promise<void> {
    const { clock, cron, lateAfter, onEvent } = this.#deps;
    const now = clock();
    const expected = findExpectedDay(now, { cron, lateAfter });
    const toCheck = expected === this.#checked ? undefined : expected;
    if (this.#isPolling || this.#stop.signal.aborted || (toCheck === undefined && !this.#isDue(now))) return;
    this.#isPolling = true;
    this.#polledAt = now;
    try {
      await this.#readStore(toCheck);
    } catch (error) {
      // Nights report an unavailable store; here it matters only for lateness.
      const reason = `not known to be published by ${lateAfter} UTC: ${messageFromError(error)}`;
      if (toCheck !== undefined && !this.#stop.signal.aborted) onEvent({ type: 'late', day: toCheck, reason });
    } finally {
      this.#checked = expected;
      this.#isPolling = false;
    }
  }

  #isDue(now: Date): boolean {
    if (this.#polledAt === undefined) return true;
    const lastDue = findDueDay(now, this.#deps);
    const isMissing = lastDue !== undefined && (this.#newest === undefined || this.#newest.day < lastDue);
    return isMissing && now.getTime() - this.#polledAt.getTime() >= POLL_MS;
  }

  async #readStore(toCheck: Day | undefined): Promise<void> {
    const { readNewest, lateAfter, onEvent } = this.#deps;
    const before = this.#newest;
    const newest = await readNewest(this.#stop.signal);
    if (this.#stop.signal.aborted) return;
    this.#newest = newest;
    if (newest !== undefined && newest.published_at !== before?.published_at)
      onEvent({ type: 'release_seen', day: newest.day, release: newest });
    if (toCheck === undefined || (newest !== undefined && newest.day >= toCheck)) return;
    // A new store misses no night before its first one.
    if (newest === undefined && (this.#begun === undefined || this.#begun > toCheck)) return;
    const reason = `not published by ${lateAfter} UTC; the newest snapshot is ${newest === undefined ? 'none' : `of ${newest.day}`}`;
    onEvent({ type: 'late', day: toCheck, reason });
  }
}

export interface Expectation {
  readonly cron: Pick<Cron, 'firstRunOn'>;
  /**
   * UTC `HH:MM`, from which an unpublished due day is late; on the next day, if its night is due only after this time.
   */
  readonly lateAfter: string;
}

/** Only cron expressions for one day of a year leave longer gaps. */
const DAYS_BACK_MAX = 366;

/** Undefined where no night was due for a year. */
export function findExpectedDay(now: Date, { cron, lateAfter }: Expectation): Day | undefined {
  return findNewest(now, cron, (day, due) => {
    const sameDay = retryDeadline(day, { until: lateAfter });
    return sameDay > due ? sameDay : retryDeadline(addDays(day, 1), { until: lateAfter });
  });
}

/** Undefined where none was due for a year. */
export function findDueDay(now: Date, { cron }: Pick<Expectation, 'cron'>): Day | undefined {
  return findNewest(now, cron, (_, due) => due);
}

function findNewest(now: Date, cron: Expectation['cron'], instantOf: (day: Day, due: Date) => Date): Day | undefined {
  let day = dayFromDate(now);
  for (let back = 0; back <= DAYS_BACK_MAX; back += 1, day = addDays(day, -1)) {
    const due = cron.firstRunOn(day);
    if (due !== undefined && instantOf(day, due) <= now) return day;
  }
  return undefined;
}
