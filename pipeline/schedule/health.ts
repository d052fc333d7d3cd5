/**
 * A scheduler's health: a small JSON file, replaced with every event and every minute. A fresh one means that the
 * process works. The last night's outcome is separate: a held night needs a person, and a restart doesn't help.
 */
import { z } from 'zod';
import type { Day } from '../../runtime/day.ts';
import type { HealthProblem } from '../../runtime/health-problem.ts';
import { isPublished, type NightEnd } from './run-day.ts';
import type { ScheduleEvent } from './scheduler.ts';

/** Smaller: needless writes. Larger: a dead scheduler is noticed later. */
export const HEARTBEAT_MS = 60_000;

/** Smaller: one slow write on a busy machine looks like death. Larger: a dead scheduler is noticed later. */
const HEARTBEATS_MISSED_MAX = 3;

export const HealthSchema = z.object({
  state: z.enum(['waiting', 'running', 'retrying', 'stopped']),
  /** Also of an earlier scheduler, or a later publication by another process. */
  last: z
    .object({
      day: z.string(),
      status: z.enum(['published', 'already_published', 'held', 'rejected', 'failed']),
      at: z.iso.datetime(),
    })
    .nullable(),
  /** At any day; null when stopped. */
  next_run_at: z.iso.datetime().nullable(),
  /** At the last or running day. */
  attempts: z.number(),
  /** Why the last attempt published nothing. */
  error: z.string().nullable(),
  /** For a shell; null without one. */
  next_command: z.string().nullable().default(null),
  updated_at: z.iso.datetime(),
});
export type Health = z.infer<typeof HealthSchema>;

/** Without what depends only on the clock. */
export type HealthState = Pick<Health, 'state' | 'last' | 'attempts' | 'error' | 'next_command'> & {
  readonly retryAt: Date | undefined;
};

export const INITIAL_HEALTH: HealthState = {
  state: 'waiting',
  last: null,
  attempts: 0,
  error: null,
  next_command: null,
  retryAt: undefined,
};

/** A restart fixes no night, so it hides no problem. */
export function healthAfterRestart({ last, attempts, error, next_command }: Health): HealthState {
  return last === null || isOver(last.status)
    ? { ...INITIAL_HEALTH, last }
    : { ...INITIAL_HEALTH, last, attempts, error, next_command };
}

/** Characters of `error`; log and report have the rest. */
const ERROR_LENGTH_MAX = 1000;

export function healthAfter(before: HealthState, event: ScheduleEvent, now: Date): HealthState {
  switch (event.type) {
    case 'night_started':
      return { ...before, state: 'running', attempts: event.attempt, retryAt: undefined };
    case 'night_ended': {
      const last = { day: event.day, status: event.end.status, at: now.toISOString() };
      return { ...before, state: isPublished(event.end) ? 'waiting' : 'running', last, ...outcomeOf(event.end) };
    }
    case 'release_seen': {
      const { last } = before;
      if (last === null || isOver(last.status) || event.day < last.day) return before;
      const found = { day: event.day, status: 'already_published' as const, at: now.toISOString() };
      return { ...before, last: found, error: null, next_command: null };
    }
    case 'retry_planned':
      return { ...before, state: 'retrying', retryAt: event.at };
    case 'given_up':
      return { ...before, state: 'waiting', retryAt: undefined };
    case 'scheduler_stopped':
      return { ...before, state: 'stopped', retryAt: undefined };
    case 'scheduler_started':
    case 'catch_up':
    case 'due_while_busy':
    case 'stop_requested':
    case 'late':
      return before;
  }
}

function outcomeOf(end: NightEnd): Pick<HealthState, 'error' | 'next_command'> {
  if (isPublished(end)) return { error: null, next_command: null };
  const error = (end.problems.join('; ') || end.status).slice(0, ERROR_LENGTH_MAX);
  return { error, next_command: end.status === 'failed' ? null : end.next_command };
}

type Status = NonNullable<Health['last']>['status'];

function isOver(status: Status): status is 'published' | 'already_published' {
  return status === 'published' || status === 'already_published';
}

/** Why the scheduler is not working; undefined where it is. */
export function findDeath({ state, updated_at }: Pick<Health, 'state' | 'updated_at'>, now: Date): string | undefined {
  if (state === 'stopped') return `the scheduler was stopped at ${updated_at}`;
  // A future time is as suspicious: the clock was set back, or is wrong now.
  const ageMs = Math.abs(now.getTime() - Date.parse(updated_at));
  return ageMs <= HEARTBEATS_MISSED_MAX * HEARTBEAT_MS ? undefined : `no heartbeat since ${updated_at}`;
}

/** The scheduler is not working, or a night needs a person ({@link findNightProblem}). */
export function findHealthProblem(health: Health, now: Date): string | undefined {
  const death = findDeath(health, now);
  const night = findNightProblem(health);
  if (death !== undefined || night === undefined) return death;
  return night.advice === null ? night.summary : `${night.summary}; ${night.advice}`;
}

/** `advice`: for example `if the source is right, run: …`, or null. */
export interface NightProblem {
  readonly summary: string;
  readonly advice: string | null;
}

/** For a last night that is held or whose day was given up; with a retry planned, others may still succeed. */
export function findNightProblem({ last, state, error, next_command }: Health): NightProblem | undefined {
  if (last === null || isOver(last.status)) return undefined;
  const isGivenUp = state === 'waiting';
  if (last.status !== 'held' && !isGivenUp) return undefined;
  const { fate, advice } = UNPUBLISHED[last.status];
  const headline = isGivenUp ? `${last.day} was given up, its night ${fate}` : `${last.day} is held`;
  return {
    summary: `${headline}: ${error ?? last.status}`,
    advice: next_command === null ? null : `${advice}, run: ${next_command}`,
  };
}

/** The outcome, when to continue, and the public text. */
const UNPUBLISHED = {
  held: { fate: 'is held', advice: 'if the source is right', publicly: 'is held and needs an operator' },
  rejected: {
    fate: 'was rejected',
    advice: 'when the source is fixed',
    publicly: 'is not published: its source was rejected',
  },
  failed: { fate: 'has failed', advice: 'when the cause is fixed', publicly: 'is not published: it failed' },
};

/** A held, rejected or failed night. */
export interface ScheduleProblem extends HealthProblem<'held' | 'rejected' | 'failed'> {
  readonly day: Day;
}

/** Lasts until that day or a later one is published. Public. */
export function scheduleProblemAfter(
  before: ScheduleProblem | undefined,
  event: ScheduleEvent,
  now: Date,
): ScheduleProblem | undefined {
  // It may have been published manually.
  if (event.type === 'release_seen') return before !== undefined && event.day >= before.day ? undefined : before;
  if (event.type !== 'night_ended') return before;
  const { status } = event.end;
  if (isOver(status)) return undefined;
  return {
    code: status,
    message: `the night of ${event.day} ${UNPUBLISHED[status].publicly}`,
    since: before?.since ?? now,
    day: event.day,
  };
}
