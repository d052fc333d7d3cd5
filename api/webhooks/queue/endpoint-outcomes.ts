import { type EndpointState, FAILURES_MAX } from '../endpoints/endpoint.ts';
import type { Settlement } from './delivery.ts';

/** What counts on an endpoint. */
export interface EndpointStatus {
  readonly state: EndpointState;
  readonly stateChangedAt: number;
  readonly consecutiveFailures: number;
}

/** What becomes of an endpoint. */
export type EndpointChange =
  | { readonly kind: 'none' }
  | { readonly kind: 'counted'; readonly consecutiveFailures: number }
  | { readonly kind: 'revoked' }
  | { readonly kind: 'activated' };

/** A settlement that was written, with when its delivery was queued (Unix milliseconds). */
export type Settled = Settlement & { readonly createdAt: number };

/**
 * What attempts, in the order in which they ended, mean for their endpoint (specification "Webhook endpoints"). Of an active one
 * only deliveries of events count, each once, after its last attempt: a success resets, the twentieth failure in a row revokes. A
 * registered one becomes active by a ping that was queued for this registration.
 */
export function endpointChange(endpoint: EndpointStatus, settled: readonly Settled[]): EndpointChange {
  switch (endpoint.state) {
    case 'active':
      return failureChange(endpoint.consecutiveFailures, settled);
    case 'registered':
      return settled.some((one) => isAnsweredPing(one) && one.createdAt >= endpoint.stateChangedAt)
        ? { kind: 'activated' }
        : { kind: 'none' };
    case 'revoked':
    case 'suspended':
    case 'removed':
      return { kind: 'none' };
  }
}

function failureChange(before: number, settled: readonly Settled[]): EndpointChange {
  let failures = before;
  for (const { delivery, attempt, nextAt } of settled) {
    if (delivery.kind !== 'event' || nextAt !== undefined) continue;
    failures = attempt.outcome === 'delivered' ? 0 : failures + 1;
    if (failures >= FAILURES_MAX) return { kind: 'revoked' };
  }
  return failures === before ? { kind: 'none' } : { kind: 'counted', consecutiveFailures: failures };
}

function isAnsweredPing({ delivery, attempt }: Settlement): boolean {
  return delivery.kind === 'ping' && attempt.outcome === 'delivered';
}

/** What a delivery is after an attempt. */
export function stateAfter({ attempt, nextAt }: Settlement): 'waiting' | 'delivered' | 'failed' {
  if (nextAt !== undefined) return 'waiting';
  return attempt.outcome === 'delivered' ? 'delivered' : 'failed';
}

/** When an attempt ended, in Unix milliseconds. */
export function endedAtMs({ startedAt, durationMs }: Settlement['attempt']): number {
  return startedAt.getTime() + durationMs;
}
