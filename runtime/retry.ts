/**
 * Trying again what may pass. When, how often and after how long is the caller's to say: an upstream may ask to be left alone, and tests
 * have a clock and a chance of their own. p-retry has one formula for the wait, a timer and a chance that can't be given.
 */
import { setTimeout as wait } from 'node:timers/promises';

export interface RetryOptions {
  /** The wait after an attempt, numbered from 1, has failed, in milliseconds; undefined where it is not tried again. */
  readonly delayAfter: (error: unknown, attempt: number) => number | undefined;
  /** Rejects where the wait is ended; a plain timer unless given. */
  readonly sleep?: (ms: number) => Promise<unknown>;
}

/** Repeats work until it succeeds, or is not to be tried again: then it rejects with the last error. */
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

/** Waits; ends early, and resolves, when the signal aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => undefined);
}

/** Bounds of waits that double with every attempt. */
export interface BackOff {
  /** Longest wait after the first attempt, in milliseconds. */
  readonly firstMs: number;
  /** Longest wait after any, in milliseconds. */
  readonly maxMs: number;
}

/** A wait that doubles with every attempt, in milliseconds. */
export function doublingMs(attempt: number, { firstMs, maxMs }: BackOff): number {
  return Math.min(maxMs, firstMs * 2 ** (attempt - 1));
}

/**
 * {@link doublingMs}, of which chance takes up to half: what failed at once must not come back at once, nor without a pause.
 * @param attempt the one that failed, from 1
 * @param random 0 ≤ x < 1
 */
export function backOffMs(attempt: number, bounds: BackOff, random: () => number): number {
  return doublingMs(attempt, bounds) * (1 - random() / 2);
}
