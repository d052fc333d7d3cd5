import type { Day } from '../../../runtime/day.ts';

/** When a failed night is tried again. */
export interface RetryPolicy {
  /** Longest wait before the second attempt, in milliseconds. */
  readonly firstDelayMs: number;
  /** Longest wait between any two attempts, in milliseconds. */
  readonly maxDelayMs: number;
  /** Time of the UTC day, `HH:MM`, from which on no attempt but a day's first is begun. */
  readonly until: string;
}

/** Smaller: a store that is down all morning sees more nights than it needs. Larger: a short outage costs an hour. */
const FACTOR = 2;

/** Part of a delay left to chance: 0 lets nights that lost a race against each other meet again; 1 allows no delay at all. */
const JITTER = 0.5;

/** A time of day as {@link RetryPolicy} takes it; `24:00` is the end of the day. */
export const TIME_OF_DAY = /^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/;

/**
 * The wait after an attempt failed, in milliseconds: exponential up to the policy's maximum, between half and all of it.
 * @param attempt the one that failed, from 1
 * @param random 0 ≤ x < 1
 */
export function retryDelayMs(attempt: number, policy: RetryPolicy, random: () => number): number {
  const fullMs = Math.min(policy.maxDelayMs, policy.firstDelayMs * FACTOR ** (attempt - 1));
  return fullMs * (1 - JITTER * random());
}

/** The instant from which on a day's night is not tried again. */
export function retryDeadline(day: Day, { until }: Pick<RetryPolicy, 'until'>): Date {
  const [hours, minutes] = until.split(':').map(Number);
  return new Date(Date.parse(`${day}T00:00:00Z`) + ((hours ?? 0) * 60 + (minutes ?? 0)) * 60_000);
}
