import type { HealthProblem } from '../../schemas/health-problem.ts';
import { isPublished } from './night-end.ts';
import type { ScheduleEvent } from './scheduler.ts';

/** The problem after an event: a night that is held, rejected or has failed, until one is published. For the public. */
export function scheduleProblemAfter(
  before: HealthProblem | undefined,
  event: ScheduleEvent,
  now: Date,
): HealthProblem | undefined {
  if (event.type !== 'night_ended') return before;
  const { status } = event.end;
  if (isPublished(event.end) || status === 'published' || status === 'already_published') return undefined;
  return { code: status, message: `the night of ${event.day} ${WORDS[status]}`, since: before?.since ?? now };
}

const WORDS = {
  held: 'is held and needs an operator',
  rejected: 'is not published: its source was rejected',
  failed: 'is not published: it failed',
};
