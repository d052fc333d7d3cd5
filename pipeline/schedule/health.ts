/**
 * What a scheduler says about itself, for a container's health check: a small JSON file, replaced as a whole with every
 * event and every minute. Fresh means that the process lives and its event loop turns; whether the last night went well is
 * said in the file but doesn't make the scheduler unhealthy, for a restart would not help.
 */
import { z } from 'zod';
import { isPublished, type NightEnd } from './night-end.ts';
import type { ScheduleEvent } from './scheduler.ts';

/** Smaller: needless writes. Larger: a dead scheduler is noticed later. */
export const HEARTBEAT_MS = 60_000;

/** Smaller: one slow write on a busy machine looks like death. Larger: a dead scheduler is noticed later. */
const HEARTBEATS_MISSED_MAX = 3;

export const HealthSchema = z.object({
  state: z.enum(['waiting', 'running', 'retrying', 'stopped']),
  /** The last attempt that ended, since the scheduler was started. */
  last: z
    .object({
      day: z.string(),
      status: z.enum(['published', 'already_published', 'held', 'rejected', 'failed']),
      at: z.iso.datetime(),
    })
    .nullable(),
  /** When the next attempt at any day is due; null when stopped. */
  next_run_at: z.iso.datetime().nullable(),
  /** Attempts at the last or running day. */
  attempts: z.number(),
  /** Why the last attempt published nothing. */
  error: z.string().nullable(),
  updated_at: z.iso.datetime(),
});
export type Health = z.infer<typeof HealthSchema>;

/** {@link Health} without what depends on the clock alone. */
export type HealthState = Pick<Health, 'state' | 'last' | 'attempts' | 'error'> & {
  readonly retryAt: Date | undefined;
};

export const INITIAL_HEALTH: HealthState = {
  state: 'waiting',
  last: null,
  attempts: 0,
  error: null,
  retryAt: undefined,
};

/** Longest `error`, in characters; the log and the run's report hold the rest. */
const ERROR_LENGTH_MAX = 1000;

/** The state after an event. */
export function healthAfter(before: HealthState, event: ScheduleEvent, now: Date): HealthState {
  switch (event.type) {
    case 'night_started':
      return { ...before, state: 'running', attempts: event.attempt, retryAt: undefined };
    case 'night_ended': {
      const last = { day: event.day, status: event.end.status, at: now.toISOString() };
      return { ...before, state: isPublished(event.end) ? 'waiting' : 'running', last, error: errorOf(event.end) };
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
      return before;
  }
}

function errorOf(end: NightEnd): string | null {
  return isPublished(end) ? null : (end.problems.join('; ') || end.status).slice(0, ERROR_LENGTH_MAX);
}

/** Why a scheduler that said this is not at work now; undefined where it is. */
export function findHealthProblem({ state, updated_at }: Health, now: Date): string | undefined {
  if (state === 'stopped') return `the scheduler was stopped at ${updated_at}`;
  // A time to come is as odd as one long gone: the clock was set back after the writer died, or is wrong now.
  const ageMs = Math.abs(now.getTime() - Date.parse(updated_at));
  return ageMs <= HEARTBEATS_MISSED_MAX * HEARTBEAT_MS ? undefined : `no sign of life since ${updated_at}`;
}
