import { createHash } from 'node:crypto';
import { deadlineOf, type Standing, WATCHED_MS } from './life.ts';

const [HOUR_MS, DAY_MS] = [3_600_000, 86_400_000];
/** A time of day that is nearer than this has as good as come: the next check is a day from now. */
const PAUSE_MIN_MS = HOUR_MS;
/** By how much a check may be later than a day after the last one, so that a deadline just behind it needs none of its own. */
export const LATE_MAX_MS = 10 * 60_000;

/**
 * When an integration is checked next after a check at `now`: within a day, at a time of day that follows from its id, so that not all
 * come at one hour; and at the end of a time that has begun, where that is before it or little later. Null: only when somebody asks.
 */
export function nextCheckAt(id: string, standing: Standing, now: Date): number | null {
  const { state, stateChangedAt } = standing;
  if (state === 'removed') return null;
  const daily = nextDaily(id, now.getTime());
  const isGivenUp = state === 'lapsed' || state === 'rejected';
  if (isGivenUp && daily > stateChangedAt + WATCHED_MS) return null;
  const deadline = deadlineOf(standing);
  return deadline !== undefined && deadline > now.getTime() && deadline <= daily + LATE_MAX_MS ? deadline : daily;
}

/** The next instant at the time of day of this id; a day from now where that is too near. */
function nextDaily(id: string, nowMs: number): number {
  const today = Math.floor(nowMs / DAY_MS) * DAY_MS + timeOfDay(id);
  const next = today > nowMs ? today : today + DAY_MS;
  return next - nowMs >= PAUSE_MIN_MS ? next : nowMs + DAY_MS;
}

/** Milliseconds after midnight, alike for the same id. */
function timeOfDay(id: string): number {
  return createHash('sha256').update(id).digest().readUInt32BE(0) % DAY_MS;
}
