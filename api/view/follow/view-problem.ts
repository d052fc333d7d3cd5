import { type ErrorCode, isAppError } from '../../../runtime/errors.ts';
import type { HealthProblem } from '../../../runtime/health-problem.ts';

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
