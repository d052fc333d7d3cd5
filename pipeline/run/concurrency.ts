import pLimit from 'p-limit';
import { AppError, isAppError } from '../../runtime/errors.ts';
import { retry } from '../../runtime/retry.ts';

/**
 * Rejects with the first failure in order, after all work has ended: the caller may then remove files and close the
 * database.
 */
export async function allEnded<T>(work: readonly Promise<T>[]): Promise<readonly T[]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}

/** {@link allEnded} over items, `atOnceMax` at a time; none begins after one has failed. */
export function eachAtOnce<I, T>(
  items: readonly I[],
  atOnceMax: number,
  work: (item: I) => Promise<T>,
): Promise<readonly T[]> {
  const limit = pLimit(atOnceMax);
  let hasFailed = false;
  const begin = async (item: I) => {
    if (hasFailed) throw new Error('not begun, as another has failed');
    try {
      return await work(item);
    } catch (error) {
      hasFailed = true;
      throw error;
    }
  };
  return allEnded(items.map((item) => limit(() => begin(item))));
}

/** More rivals than a night, a prune and a backfill indicate a process that changes the store without end. */
const ATTEMPTS_MAX = 5;

/**
 * Repeats work after `precondition_failed`: another process won the conditional write, and nothing changed. Rejects
 * with it after {@link ATTEMPTS_MAX} attempts.
 * @param attempt gets its number, from 1
 */
export function retryWhenRaced<T>(attempt: (number: number) => Promise<T>): Promise<T> {
  const delayAfter = (cause: unknown, number: number) => {
    if (!isAppError(cause, 'precondition_failed')) return undefined;
    if (number < ATTEMPTS_MAX) return 0;
    const message = `other processes changed the store ${ATTEMPTS_MAX} times meanwhile; run this again`;
    throw new AppError('precondition_failed', message, { cause });
  };
  return retry(attempt, { delayAfter });
}
