import type { BaseLogger } from 'pino';
import { type ErrorCode, isAppError, messageFromError } from '../../runtime/errors.ts';
import type { HealthProblem } from '../../runtime/health-problem.ts';
import { ReportedReasons } from '../../runtime/repeat.ts';

/** For the log and the metrics. */
export type ViewEvent =
  | {
      readonly type: 'swapped';
      readonly day: string;
      readonly durationMs: number;
      readonly isExtended: boolean;
      /** Why the view before could not follow, if that was tried. */
      readonly notFollowed?: string;
    }
  | { readonly type: 'failed'; readonly error: unknown }
  /** An attempt succeeded after failed ones. */
  | { readonly type: 'recovered'; readonly since: Date }
  | { readonly type: 'damaged'; readonly error: unknown };

/** For errors without a public message. */
const PUBLIC_MESSAGES: Readonly<Partial<Record<ErrorCode, string>>> = {
  store_unavailable: 'the store is unreachable or does not work correctly',
  configuration: 'the store denies access or is not set up',
  corrupt: 'an object in the store is missing or damaged',
  not_found: 'an object in the store is missing or damaged',
};

const DEFAULT_MESSAGE = 'the newest release cannot be served; see the log';

/**
 * Public (specification "Health and metrics"), so without the error's own message, which may name a store, host, path or key.
 */
export function viewProblemFrom(error: unknown, since: Date): HealthProblem {
  if (!isAppError(error)) return { code: 'internal_error', message: DEFAULT_MESSAGE, since };
  return { code: error.code, message: error.publicMessage ?? PUBLIC_MESSAGES[error.code] ?? DEFAULT_MESSAGE, since };
}

/** How often a cause is logged during an outage. */
const REPEAT_MS = 3_600_000;

/** Logs each cause of an outage once an hour, and the outage's end once. */
export function viewEventLog(
  log: Pick<BaseLogger, 'info' | 'warn' | 'error'>,
  clock: () => Date,
): (event: ViewEvent) => void {
  const reported = new ReportedReasons({ againMs: REPEAT_MS });
  return (event) => {
    switch (event.type) {
      case 'swapped':
        reported.forget();
        return log.info(event, 'serving a new view');
      case 'recovered':
        reported.forget();
        return log.info({ since: event.since.toISOString() }, 'the view follows the store again');
      case 'failed':
      case 'damaged': {
        const cause = messageFromError(event.error);
        if (!reported.isNew(cause, clock().getTime())) return;
        if (isAppError(event.error, 'unavailable')) return log.warn({ reason: cause }, 'no release to serve yet');
        return log.error({ err: event.error, problem: event.type }, 'the view could not follow the store');
      }
    }
  };
}
