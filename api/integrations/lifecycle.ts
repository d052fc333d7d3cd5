import { createHash } from 'node:crypto';
import { quotaDayAt } from '../accounts/limits/quota.ts';
import { NO_END_MS } from '../accounts/organizations/terms.ts';
import { AT_RISK_MS, type IntegrationState } from './integration.ts';

/** After these the link counts as missing. */
export const FAILURES_MAX = 3;
const FAILING_MS = 72 * 3_600_000;
/** How long lapsed and rejected integrations are still checked daily. */
const WATCHED_MS = 30 * 86_400_000;

/** Instants are Unix milliseconds. */
export interface Lifecycle {
  readonly state: IntegrationState;
  readonly stateChangedAt: number;
  /** Consecutive failed checks and the first of them; null if none. */
  readonly failures: number;
  readonly firstFailedAt: number | null;
  /** End of the quota bonus; null: never had one. */
  readonly bonusUntil: number | null;
}

/** `taken`: found, but another organization holds the site. */
export type Outcome = 'found' | 'failed' | 'taken';

/** A newly declared page. */
export function declared(now: Date): Lifecycle {
  return { state: 'pending', stateChangedAt: now.getTime(), failures: 0, firstFailedAt: null, bonusUntil: null };
}

/** After a check at `now` (specification "States of an integration"). */
export function afterCheck(before: Lifecycle, outcome: Outcome, now: Date): Lifecycle {
  if (before.state === 'removed') return before;
  if (outcome === 'found') return withState({ ...before, failures: 0, firstFailedAt: null }, 'verified', now);
  const failing = { ...before, failures: before.failures + 1, firstFailedAt: before.firstFailedAt ?? now.getTime() };
  return withState(failing, outcome === 'taken' ? 'rejected' : stateAfterFailure(failing, now), now);
}

export function afterRemoval(before: Lifecycle, now: Date): Lifecycle {
  return withState(before, 'removed', now);
}

/** Whether this state holds the site and earns the bonus. */
export function isInForce(state: IntegrationState): boolean {
  return state === 'verified' || state === 'at_risk';
}

/** The first check after it changes the state; undefined if none would. */
function deadlineOf({ state, stateChangedAt, firstFailedAt }: Lifecycle): number | undefined {
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

function stateAfterFailure(failing: Lifecycle, now: Date): IntegrationState {
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

function withState(before: Lifecycle, state: IntegrationState, now: Date): Lifecycle {
  const bonusUntil = bonusAfter(before, state, now);
  if (state === before.state) return { ...before, bonusUntil };
  return { ...before, state, stateChangedAt: now.getTime(), bonusUntil };
}

/** A bonus begins at once; a lost one lasts until the end of the UTC day. */
function bonusAfter({ state: was, bonusUntil }: Lifecycle, state: IntegrationState, now: Date): number | null {
  if (isInForce(state)) return NO_END_MS;
  return isInForce(was) ? quotaDayAt(now).resetAt * 1000 : bonusUntil;
}

const [HOUR_MS, DAY_MS] = [3_600_000, 86_400_000];
/** If the daily time is nearer than this, the next check is a day later. */
const PAUSE_MIN_MS = HOUR_MS;
/** Allowed delay of a daily check to coincide with a deadline. */
export const LATE_MAX_MS = 10 * 60_000;

/** Daily at a time derived from the id, and at a deadline before or shortly after that. Null: only on request. */
export function nextCheckAt(id: string, lifecycle: Lifecycle, now: Date): number | null {
  const { state, stateChangedAt } = lifecycle;
  if (state === 'removed') return null;
  const daily = nextDaily(id, now.getTime());
  const isInactive = state === 'lapsed' || state === 'rejected';
  if (isInactive && daily > stateChangedAt + WATCHED_MS) return null;
  const deadline = deadlineOf(lifecycle);
  return deadline !== undefined && deadline > now.getTime() && deadline <= daily + LATE_MAX_MS ? deadline : daily;
}

/** A day from now if it is too near. */
function nextDaily(id: string, nowMs: number): number {
  const today = Math.floor(nowMs / DAY_MS) * DAY_MS + timeOfDay(id);
  const next = today > nowMs ? today : today + DAY_MS;
  return next - nowMs >= PAUSE_MIN_MS ? next : nowMs + DAY_MS;
}

/** Milliseconds after midnight, fixed per id. */
function timeOfDay(id: string): number {
  return createHash('sha256').update(id).digest().readUInt32BE(0) % DAY_MS;
}
