import type { Day } from '../../../runtime/day.ts';
import type { HealthProblem } from '../../../runtime/health-problem.ts';
import { isPublished } from '../night-end.ts';
import type { ScheduleEvent } from '../scheduler.ts';

/** A night that is held, rejected or has failed. */
export interface ScheduleProblem extends HealthProblem<'held' | 'rejected' | 'failed'> {
  readonly day: Day;
}

/** The problem after an event: until that day, or a later one, is published. For the public. */
export function scheduleProblemAfter(
  before: ScheduleProblem | undefined,
  event: ScheduleEvent,
  now: Date,
): ScheduleProblem | undefined {
  // Somebody may have published it by hand.
  if (event.type === 'release_seen') return before !== undefined && event.day >= before.day ? undefined : before;
  if (event.type !== 'night_ended') return before;
  const { status } = event.end;
  if (isPublished(event.end) || status === 'published' || status === 'already_published') return undefined;
  return {
    code: status,
    message: `the night of ${event.day} ${WORDS[status]}`,
    since: before?.since ?? now,
    day: event.day,
  };
}

const WORDS = {
  held: 'is held and needs an operator',
  rejected: 'is not published: its source was rejected',
  failed: 'is not published: it failed',
};
