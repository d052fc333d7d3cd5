import { expect, test } from 'vitest';
import { answer, failed } from '../../../test/support/schedule/fake-nights.ts';
import { RELEASE_FACTS } from '../../../test/support/schedule/release-facts.ts';
import type { NightEnd } from '../night-end.ts';
import type { ScheduleEvent } from '../scheduler.ts';
import { scheduleProblemAfter } from './schedule-problem.ts';

const DAY = '2026-11-20';
const ended = (end: NightEnd): ScheduleEvent => ({ type: 'night_ended', day: DAY, attempt: 1, end });
const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 0, minute));

test('a night that is not published is a problem from its first attempt until one is published', () => {
  const events = [
    ended(failed('the password is hunter2')),
    { type: 'night_started', day: DAY, attempt: 2 } as const,
    ended(answer('held')),
    { type: 'given_up', day: DAY, attempt: 2, why: 'noon' } as const,
    ended(answer('published')),
    ended(answer('rejected')),
    ended(answer('already_published')),
  ];
  let problem: ReturnType<typeof scheduleProblemAfter>;
  const told = events.map((event, minute) => {
    problem = scheduleProblemAfter(problem, event, at(minute));
    return problem && [problem.code, problem.since.getUTCMinutes(), problem.message];
  });
  const failure = ['failed', 0, `the night of ${DAY} is not published: it failed`];
  const hold = ['held', 0, `the night of ${DAY} is held and needs an operator`];
  const rejection = ['rejected', 5, `the night of ${DAY} is not published: its source was rejected`];
  expect(told).toEqual([failure, failure, hold, hold, undefined, rejection, undefined]);
});

test('a night that somebody publishes by hand is a problem no more', () => {
  const held = scheduleProblemAfter(undefined, ended(answer('held')), at(0));
  const seen = (day: string) => ({ type: 'release_seen', day, release: RELEASE_FACTS }) as const;
  expect(scheduleProblemAfter(held, seen('2026-11-19'), at(1))).toEqual(held);
  expect(scheduleProblemAfter(held, { type: 'late', day: DAY, reason: 'noon' }, at(1))).toEqual(held);
  expect(scheduleProblemAfter(held, seen(DAY), at(1))).toBeUndefined();
});
