import type { BaseLogger } from 'pino';
import { type ErrorCode, isAppError, messageFromError } from '../../runtime/errors.ts';
import type { HealthProblem } from '../../runtime/health-problem.ts';
import { ReportedReasons } from '../../runtime/repeat.ts';

/** What becomes of new releases, for the log and the metrics. */
export type ViewEvent =
  | { readonly type: 'swapped'; readonly day: string; readonly durationMs: number; readonly isExtended: boolean }
  | { readonly type: 'failed'; readonly error: unknown }
  /** The catalog could be followed again, after attempts that failed. */
  | { readonly type: 'recovered'; readonly since: Date }
  | { readonly type: 'damaged'; readonly error: unknown };

/** By the code, where an error brings no words of its own for the public. The log has the cause. */
const TOLD: Readonly<Partial<Record<ErrorCode, string>>> = {
  store_unavailable: 'the store can not be reached, or does not do its work',
  configuration: 'the store refuses this service, or is not set up',
  corrupt: 'something in the store is missing or damaged',
  not_found: 'something in the store is missing or damaged',
};

const TOLD_OF_OTHERS = 'the newest release can not be served; the log says why';

/**
 * Why the view isn't that of the newest catalog, for the public (specification "Health and metrics"): whatever the error's message
 * names, store, bucket, host, path or key, is not told.
 */
export function viewProblemFrom(error: unknown, since: Date): HealthProblem {
  if (!isAppError(error)) return { code: 'internal_error', message: TOLD_OF_OTHERS, since };
  return { code: error.code, message: error.publicMessage ?? TOLD[error.code] ?? TOLD_OF_OTHERS, since };
}

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
  const told = new ReportedReasons({ againMs: TOLD_AGAIN_MS });
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
