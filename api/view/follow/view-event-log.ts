import type { BaseLogger } from 'pino';
import { isAppError, messageFromError } from '../../../runtime/errors.ts';
import { ToldReasons } from '../../../runtime/told-reasons.ts';
import type { ViewEvent } from './view-follower.ts';

/** How long a cause is not told again while its outage lasts. */
const TOLD_AGAIN_MS = 3_600_000;

/**
 * Logs what becomes of new releases. Each cause of an outage is told once an hour, however often it is tried again, and its end
 * once; what happens after that is another outage.
 */
export function viewEventLog(
  log: Pick<BaseLogger, 'info' | 'warn' | 'error'>,
  clock: () => Date,
): (event: ViewEvent) => void {
  const told = new ToldReasons({ againMs: TOLD_AGAIN_MS });
  return (event) => {
    switch (event.type) {
      case 'swapped':
        told.forget();
        return log.info(event, 'serving a new view');
      case 'recovered':
        told.forget();
        return log.info({ since: event.since.toISOString() }, 'the view follows the store again');
      case 'failed':
      case 'damaged': {
        const cause = messageFromError(event.error);
        if (!told.isNew(cause, clock().getTime())) return;
        if (isAppError(event.error, 'unavailable')) return log.warn({ reason: cause }, 'there is nothing to serve yet');
        return log.error({ err: event.error, problem: event.type }, 'the view could not follow the store');
      }
    }
  };
}
