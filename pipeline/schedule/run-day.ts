import { z } from 'zod';
import { type Day, dayFromDate } from '../../runtime/day.ts';
import { messageFromError } from '../../runtime/errors.ts';
import { type BackOff, backOffMs } from '../../runtime/retry.ts';

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
  const delayMs = backOffMs(attempt, deps.retry, deps.random);
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

/** Of the preview of a held night: what would be gone. */
const PreviewSchema = z.looseObject({
  datasets: z.record(
    z.string(),
    z.looseObject({ gone: z.number(), examples: z.looseObject({ gone: z.array(z.string()) }) }),
  ),
});

/** What the scheduler reads of the answer of `nightly --json`; the rest is passed through. */
export const NightResponseSchema = z.looseObject({
  status: z.enum(['published', 'already_published', 'held', 'rejected']),
  snapshot_id: z.string().nullable(),
  events: z.object({ upsert: z.number(), delete: z.number() }).nullable(),
  first_seq: z.number().nullable(),
  last_seq: z.number().nullable(),
  quarantined: z.number(),
  suspects_pending: z.number(),
  problems: z.array(z.string()),
  next_command: z.string().nullable(),
  warnings: z.array(z.string()),
  report: z.string().nullable(),
  preview: PreviewSchema.optional(),
});
export type NightResponse = z.infer<typeof NightResponseSchema>;

/** A night that gave no answer: the store, the disk or the process failed. */
export interface FailedNight {
  readonly status: 'failed';
  readonly problems: readonly string[];
}

/** How one attempt at a night ended. */
export type NightEnd = NightResponse | FailedNight;

/** True where the day needs no further attempt. */
export function isPublished(end: NightEnd): boolean {
  return end.status === 'published' || end.status === 'already_published';
}

/** When a failed night is tried again. */
export interface RetryPolicy extends BackOff {
  /** Time of the UTC day, `HH:MM`, from which on no attempt but a day's first is begun. */
  readonly until: string;
}

/** A time of day as {@link RetryPolicy} takes it; `24:00` is the end of the day. */
export const TIME_OF_DAY = /^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/;

/** The instant from which on a day's night is not tried again. */
export function retryDeadline(day: Day, { until }: Pick<RetryPolicy, 'until'>): Date {
  const [hours, minutes] = until.split(':').map(Number);
  return new Date(Date.parse(`${day}T00:00:00Z`) + ((hours ?? 0) * 60 + (minutes ?? 0)) * 60_000);
}
