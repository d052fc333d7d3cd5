/**
 * The caller sets the delays, since an upstream may send its own, and tests need a clock and a random generator;
 * p-retry allows neither.
 */
import { setTimeout as wait } from 'node:timers/promises';

export interface RetryOptions {
  /** Delay after a failed attempt (from 1), in milliseconds; undefined: no further attempt. */
  readonly delayAfter: (error: unknown, attempt: number) => number | undefined;
  readonly sleep?: (ms: number) => Promise<unknown>;
}

/** Repeats work until it succeeds; rejects with the last error when `delayAfter` returns undefined. */
export async function retry<T>(
  work: (attempt: number) => Promise<T>,
  { delayAfter, sleep = wait }: RetryOptions,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work(attempt);
    } catch (error) {
      const delayMs = delayAfter(error, attempt);
      if (delayMs === undefined) throw error;
      if (delayMs > 0) await sleep(delayMs);
    }
  }
}

/** Resolves after a time, or when the signal aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => undefined);
}

export interface BackOff {
  readonly firstMs: number;
  readonly maxMs: number;
}

export function doublingMs(attempt: number, { firstMs, maxMs }: BackOff): number {
  return Math.min(maxMs, firstMs * 2 ** (attempt - 1));
}

/**
 * {@link doublingMs}, shortened at random by up to half so that callers that failed together don't retry together.
 * @param attempt the one that failed, from 1
 * @param random 0 ≤ x < 1
 */
export function backOffMs(attempt: number, bounds: BackOff, random: () => number): number {
  return doublingMs(attempt, bounds) * (1 - random() / 2);
}
