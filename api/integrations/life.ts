import { createHash } from 'node:crypto';
import { quotaDayAt } from '../accounts/limits/quota.ts';
import { NO_END_MS } from '../accounts/organizations/terms.ts';
import { AT_RISK_MS, type IntegrationState } from './integration.ts';

/** Failures in a row, and the time since the first of them, from which on a page has lost its link or never had it. */
export const FAILURES_MAX = 3;
const FAILING_MS = 72 * 3_600_000;
/** Days for which an integration that lapsed or was rejected is still checked every day. */
const WATCHED_MS = 30 * 86_400_000;

/** Where an integration stands in its life; instants are Unix milliseconds. */
export interface Standing {
  readonly state: IntegrationState;
  readonly stateChangedAt: number;
  /** Checks in a row that failed, and when the first of them was; null where none did. */
  readonly failures: number;
  readonly firstFailedAt: number | null;
  /** Until when it counts for the quota; null: it never did. */
  readonly bonusUntil: number | null;
}

/** `taken`: the link was found, but another organization holds the site. */
export type Outcome = 'found' | 'failed' | 'taken';

/** A page that was just declared. */
export function declared(now: Date): Standing {
  return { state: 'pending', stateChangedAt: now.getTime(), failures: 0, firstFailedAt: null, bonusUntil: null };
}

/** Where a check at `now` leaves an integration (specification "States of an integration"). */
export function afterCheck(before: Standing, outcome: Outcome, now: Date): Standing {
  if (before.state === 'removed') return before;
  if (outcome === 'found') return moved({ ...before, failures: 0, firstFailedAt: null }, 'verified', now);
  const failing = { ...before, failures: before.failures + 1, firstFailedAt: before.firstFailedAt ?? now.getTime() };
  return moved(failing, outcome === 'taken' ? 'rejected' : stateAfterFailure(failing, now), now);
}

/** Whoever declared it takes it back, or the operator does. */
export function afterRemoval(before: Standing, now: Date): Standing {
  return moved(before, 'removed', now);
}

/** Whether an integration in this state holds its site and earns its bonus. */
export function isInForce(state: IntegrationState): boolean {
  return state === 'verified' || state === 'at_risk';
}

/** The instant that ends a time which has begun: with the first check from then on the state is another; undefined for none. */
function deadlineOf({ state, stateChangedAt, firstFailedAt }: Standing): number | undefined {
  switch (state) {
    case 'pending':
    case 'verified':
      return firstFailedAt === null ? undefined : firstFailedAt + FAILING_MS;
    case 'at_risk':
      return stateChangedAt + AT_RISK_MS;
    case 'lapsed':
    case 'rejected':
    case 'removed':
      return undefined;
  }
}

function stateAfterFailure(failing: Standing, now: Date): IntegrationState {
  const { state, failures } = failing;
  const isOver = now.getTime() >= (deadlineOf(failing) ?? Number.POSITIVE_INFINITY);
  switch (state) {
    case 'pending':
      return isOver && failures >= FAILURES_MAX ? 'rejected' : 'pending';
    case 'verified':
      return isOver && failures >= FAILURES_MAX ? 'at_risk' : 'verified';
    case 'at_risk':
      return isOver ? 'lapsed' : 'at_risk';
    case 'lapsed':
    case 'rejected':
    case 'removed':
      return state;
  }
}

function moved(before: Standing, state: IntegrationState, now: Date): Standing {
  const bonusUntil = bonusAfter(before, state, now);
  if (state === before.state) return { ...before, bonusUntil };
  return { ...before, state, stateChangedAt: now.getTime(), bonusUntil };
}

/** The bonus begins at once, and what is lost holds until the UTC day of the quota is over. */
function bonusAfter({ state: was, bonusUntil }: Standing, state: IntegrationState, now: Date): number | null {
  if (isInForce(state)) return NO_END_MS;
  return isInForce(was) ? quotaDayAt(now).resetAt * 1000 : bonusUntil;
}

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
