import { z } from 'zod';
import { type Day, dayFromDate } from '../../runtime/day.ts';
import { messageFromError } from '../../runtime/errors.ts';
import { type BackOff, backOffMs } from '../../runtime/retry.ts';

/** In this order; `given_up` ends a day without a snapshot. */
export type DayEvent =
  | { readonly type: 'night_started'; readonly day: Day; readonly attempt: number }
  | { readonly type: 'night_ended'; readonly day: Day; readonly attempt: number; readonly end: NightEnd }
  | { readonly type: 'retry_planned'; readonly day: Day; readonly attempt: number; readonly at: Date }
  | { readonly type: 'given_up'; readonly day: Day; readonly attempt: number; readonly why: string };

export interface DayDeps {
  readonly clock: () => Date;
  /** 0 ≤ x < 1, for the jitter. */
  readonly random: () => number;
  /** Resolves early when the signal aborts; never rejects. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Ends early, without harm, when the signal aborts. */
  readonly runNight: (day: Day, abandon: AbortSignal) => Promise<NightEnd>;
  readonly retry: RetryPolicy;
  readonly onEvent: (event: DayEvent) => void;
}

export interface DaySignals {
  /** Aborts when no new night may start. */
  readonly stop: AbortSignal;
  /** Aborts when a running night must end at once. */
  readonly abandon: AbortSignal;
}

export type DayOutcome = 'published' | 'given_up' | 'stopped';

/**
 * Works on one UTC day until it is published, given up or stopped. Every attempt captures this day. After the first
 * attempt, held, rejected and failed nights are retried, never with `--accept`, if the retry begins before the policy's
 * time of day and a corrected clock doesn't put the day into the future. Even wrong settings are retried: a missing
 * bucket or expired credentials may be fixed.
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

/** Resolves to why there is no further attempt. */
async function waitForRetry(failed: Attempt, deps: DayDeps, stop: AbortSignal): Promise<string | undefined> {
  const { day, attempt } = failed;
  const tooLate = `no attempt begins from ${deps.retry.until} UTC on`;
  const deadline = retryDeadline(day, deps.retry);
  const delayMs = backOffMs(attempt, deps.retry, deps.random);
  const at = new Date(deps.clock().getTime() + delayMs);
  if (at >= deadline) return tooLate;
  if (isToCome(day, deps)) return CLOCK_SET_BACK;
  deps.onEvent({ type: 'retry_planned', day, attempt, at });
  await deps.sleep(delayMs, stop);
  if (stop.aborted) return undefined;
  if (isToCome(day, deps)) return CLOCK_SET_BACK;
  // A suspended machine wakes up much later.
  return deps.clock() >= deadline ? tooLate : undefined;
}

const CLOCK_SET_BACK = 'the clock was set back, and the day is in the future';

/** Such a night is refused, and would be retried until the day is over. */
function isToCome(day: Day, { clock }: Pick<DayDeps, 'clock'>): boolean {
  return day > dayFromDate(clock());
}

function failedNight(error: unknown): NightEnd {
  return { status: 'failed', problems: [messageFromError(error)] };
}

/** The deleted records in a held night's preview. */
const PreviewSchema = z.looseObject({
  datasets: z.record(
    z.string(),
    z.looseObject({ gone: z.number(), examples: z.looseObject({ gone: z.array(z.string()) }) }),
  ),
});

/** The scheduler's part of `nightly --json`; the rest is passed through. */
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

/** The store, the disk or the process failed. */
export interface FailedNight {
  readonly status: 'failed';
  readonly problems: readonly string[];
}

export type NightEnd = NightResponse | FailedNight;

export function isPublished(end: NightEnd): boolean {
  return end.status === 'published' || end.status === 'already_published';
}

export interface RetryPolicy extends BackOff {
  /** UTC `HH:MM`, from which only a day's first attempt begins. */
  readonly until: string;
}

/** `24:00` is the end of the day. */
export const TIME_OF_DAY = /^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/;

export function retryDeadline(day: Day, { until }: Pick<RetryPolicy, 'until'>): Date {
  const [hours, minutes] = until.split(':').map(Number);
  return new Date(Date.parse(`${day}T00:00:00Z`) + ((hours ?? 0) * 60 + (minutes ?? 0)) * 60_000);
}
