import { isPublished } from './night-end.ts';
import type { ScheduleEvent } from './scheduler.ts';

/** Why the newest night that came due is not published. */
export interface ScheduleProblem {
  readonly code: 'held' | 'rejected' | 'failed';
  /** For the public: the reasons are in the log. */
  readonly message: string;
  /** When the first attempt ended like that. */
  readonly since: Date;
}

/** The problem after an event: a night that is held, rejected or has failed, until one is published. */
export function scheduleProblemAfter(
  before: ScheduleProblem | undefined,
  event: ScheduleEvent,
  now: Date,
): ScheduleProblem | undefined {
  if (event.type !== 'night_ended') return before;
  const { status } = event.end;
  if (isPublished(event.end) || status === 'published' || status === 'already_published') return undefined;
  return { code: status, message: `the night of ${event.day} ${WORDS[status]}`, since: before?.since ?? now };
}

const WORDS: Readonly<Record<ScheduleProblem['code'], string>> = {
  held: 'is held and needs an operator',
  rejected: 'is not published: its source was rejected',
  failed: 'is not published: it failed',
};
