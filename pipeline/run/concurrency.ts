import pLimit from 'p-limit';
import { AppError, isAppError } from '../../runtime/errors.ts';
import { retry } from '../../runtime/retry.ts';

/**
 * The results of work that goes on at once, in its order. Rejects with the first failure in that order, and only when all of it has
 * ended: whoever is told may remove the files and close the database that the rest was still using.
 */
export async function allEnded<T>(work: readonly Promise<T>[]): Promise<readonly T[]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}

/** {@link allEnded} of work on each of some items, on a number of them at once. */
export function eachAtOnce<I, T>(
  items: readonly I[],
  atOnceMax: number,
  work: (item: I) => Promise<T>,
): Promise<readonly T[]> {
  const limit = pLimit(atOnceMax);
  return allEnded(items.map((item) => limit(() => work(item))));
}

/** A night, a prune and a backfill at once are already strange; beyond that something changes the store without end. */
const ATTEMPTS_MAX = 5;

/**
 * Repeats work whose conditional write another process won: an attempt that rejected with `precondition_failed` has changed
 * nothing, and the next one decides on a fresh catalog. Rejects with `precondition_failed` where all {@link ATTEMPTS_MAX}
 * attempts lost.
 * @param attempt gets its number, from 1
 */
export function retryWhenRaced<T>(attempt: (number: number) => Promise<T>): Promise<T> {
  const delayAfter = (cause: unknown, number: number) => {
    if (!isAppError(cause, 'precondition_failed')) return undefined;
    if (number < ATTEMPTS_MAX) return 0;
    const message = `others changed the store ${ATTEMPTS_MAX} times meanwhile; run this again`;
    throw new AppError('precondition_failed', message, { cause });
  };
  return retry(attempt, { delayAfter });
}
