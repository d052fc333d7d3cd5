import { type Day, dayFromDate } from '../../runtime/day.ts';
import { messageFromError } from '../../runtime/errors.ts';
import { type RetryPolicy, retryDeadline, retryDelayMs } from './due/retry.ts';
import { isPublished, type NightEnd } from './night-end.ts';

/** What happens while a day is worked on, in this order; `given_up` is the last of a day without a snapshot. */
export type DayEvent =
  | { readonly type: 'night_started'; readonly day: Day; readonly attempt: number }
  | { readonly type: 'night_ended'; readonly day: Day; readonly attempt: number; readonly end: NightEnd }
  | { readonly type: 'retry_planned'; readonly day: Day; readonly attempt: number; readonly at: Date }
  | { readonly type: 'given_up'; readonly day: Day; readonly attempt: number; readonly why: string };

export interface DayDeps {
  readonly clock: () => Date;
  /** 0 ≤ x < 1, for the jitter of the retries. */
  readonly random: () => number;
  /** Resolves after a time or as soon as the signal aborts; never rejects. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** One attempt at a night; ended early, without harm, when the signal aborts. */
  readonly runNight: (day: Day, abandon: AbortSignal) => Promise<NightEnd>;
  readonly retry: RetryPolicy;
  readonly onEvent: (event: DayEvent) => void;
}

export interface DaySignals {
  /** Aborts when no new night may start. */
  readonly stop: AbortSignal;
  /** Aborts when a running night has to end at once. */
  readonly abandon: AbortSignal;
}

export type DayOutcome = 'published' | 'given_up' | 'stopped';

/**
 * Works on one UTC day until it is published, given up or stopped. Every attempt captures this day, however late it is
 * made. The first attempt is always made; held, rejected and failed nights are tried again, never with `--accept`, as long
 * as the attempt would begin before the policy's time of the day, and no clock that is put right says that the day is to come. So are nights that wrong settings ended: a bucket that
 * isn't there yet and credentials that have expired look like that, and may be there in an hour.
 */
export async function runDay(day: Day, deps: DayDeps, { stop, abandon }: DaySignals): Promise<DayOutcome> {
  for (let attempt = 1; !stop.aborted; attempt += 1) {
    deps.onEvent({ type: 'night_started', day, attempt });
    const end = await deps.runNight(day, abandon).catch(failedNight);
    deps.onEvent({ type: 'night_ended', day, attempt, end });
    if (isPublished(end)) return 'published';
    if (stop.aborted) break;
    const why = await waitForRetry({ day, attempt }, deps, stop);
    if (why === undefined) continue;
    deps.onEvent({ type: 'given_up', day, attempt, why });
    return 'given_up';
  }
  return 'stopped';
}

interface Attempt {
  readonly day: Day;
  readonly attempt: number;
}

/** Waits until the next attempt is due; resolves to the reason where there is to be none. */
async function waitForRetry(failed: Attempt, deps: DayDeps, stop: AbortSignal): Promise<string | undefined> {
  const { day, attempt } = failed;
  const tooLate = `no attempt is made from ${deps.retry.until} UTC on`;
  const deadline = retryDeadline(day, deps.retry);
  const delayMs = retryDelayMs(attempt, deps.retry, deps.random);
  const at = new Date(deps.clock().getTime() + delayMs);
  if (at >= deadline) return tooLate;
  if (isToCome(day, deps)) return CLOCK_SET_BACK;
  deps.onEvent({ type: 'retry_planned', day, attempt, at });
  await deps.sleep(delayMs, stop);
  if (stop.aborted) return undefined;
  if (isToCome(day, deps)) return CLOCK_SET_BACK;
  // A machine that was suspended wakes up much later than it was to.
  return deps.clock() >= deadline ? tooLate : undefined;
}

const CLOCK_SET_BACK = 'the clock was set back, and the day is to come';

/** The night of such a day is refused, and would be tried again until it is over. */
function isToCome(day: Day, { clock }: Pick<DayDeps, 'clock'>): boolean {
  return day > dayFromDate(clock());
}

function failedNight(error: unknown): NightEnd {
  return { status: 'failed', problems: [messageFromError(error)] };
}
