import { createHash } from 'node:crypto';
import { deadlineOf, type Standing, WATCHED_MS } from './life.ts';

const [HOUR_MS, DAY_MS] = [3_600_000, 86_400_000];
/** Between a check and the next one of the day, so that the first day of a page doesn't have two in a row. */
const PAUSE_MIN_MS = 12 * HOUR_MS;

/**
 * When an integration is checked next after a check at `now`: every day at a time that follows from its id, so that not all come at one
 * hour, and at the end of a time that has begun, where that is no more than an hour later. Null: only when somebody asks.
 */
export function nextCheckAt(id: string, standing: Standing, now: Date): number | null {
  const { state, stateChangedAt } = standing;
  if (state === 'removed') return null;
  const daily = nextDaily(id, now.getTime());
  const isGivenUp = state === 'lapsed' || state === 'rejected';
  if (isGivenUp && daily > stateChangedAt + WATCHED_MS) return null;
  const deadline = deadlineOf(standing);
  return deadline !== undefined && deadline > now.getTime() && deadline <= daily + HOUR_MS ? deadline : daily;
}

/** The next instant at the time of day of this id, half a day from now at the earliest. */
function nextDaily(id: string, nowMs: number): number {
  const earliest = nowMs + PAUSE_MIN_MS;
  const today = Math.floor(earliest / DAY_MS) * DAY_MS + timeOfDay(id);
  return today >= earliest ? today : today + DAY_MS;
}

/** Milliseconds after midnight, alike for the same id. */
function timeOfDay(id: string): number {
  return createHash('sha256').update(id).digest().readUInt32BE(0) % DAY_MS;
}
