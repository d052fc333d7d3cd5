import { setTimeout as wait } from 'node:timers/promises';
import { AppError } from '../../../../runtime/errors.ts';

/** What work resolves to; rejects with `unavailable` where it takes longer. The work itself goes on, which nobody waits for. */
export async function inTime<T>(timeoutMs: number, work: () => Promise<T>): Promise<T> {
  const isOver = new AbortController();
  const tooLong = wait(timeoutMs, undefined, { signal: isOver.signal }).then(() => {
    throw new AppError('unavailable', `no answer within ${timeoutMs / 1000} s`);
  });
  try {
    return await Promise.race([work(), tooLong]);
  } finally {
    isOver.abort();
    tooLong.catch(() => {}); // Nobody waits for it any more.
  }
}
