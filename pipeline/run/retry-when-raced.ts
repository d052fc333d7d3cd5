import { AppError, isAppError } from '../../runtime/errors.ts';

/** A night, a prune and a backfill at once are already strange; beyond that something changes the store without end. */
const ATTEMPTS_MAX = 5;

/**
 * Repeats work whose conditional write another process won: an attempt that rejected with `precondition_failed` has changed
 * nothing, and the next one decides on a fresh catalog. Rejects with `precondition_failed` where all {@link ATTEMPTS_MAX}
 * attempts lost.
 * @param attempt gets its number, from 1
 */
export async function retryWhenRaced<T>(attempt: (number: number) => Promise<T>): Promise<T> {
  for (let number = 1; ; number += 1) {
    try {
      return await attempt(number);
    } catch (cause) {
      if (!isAppError(cause, 'precondition_failed')) throw cause;
      if (number < ATTEMPTS_MAX) continue;
      const message = `others changed the store ${ATTEMPTS_MAX} times meanwhile; run this again`;
      throw new AppError('precondition_failed', message, { cause });
    }
  }
}
