import type { EndpointState } from '../endpoints/endpoint.ts';

/** What waits to be delivered, what an attempt at it found, and what a dispatcher and the queue tell each other. */

export const DELIVERY_KINDS = ['event', 'replay', 'ping'] as const;
export type DeliveryKind = (typeof DELIVERY_KINDS)[number];

export const DELIVERY_STATES = ['waiting', 'delivered', 'failed', 'dropped'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** How an attempt went: a 2xx in time, or what came in its place (specification "Delivery"). */
export const OUTCOMES = ['delivered', 'status', 'redirect', 'timeout', 'tls', 'dns', 'connection', 'blocked'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** A delivery that a dispatcher may attempt until its claim ends. */
export interface ClaimedDelivery {
  readonly id: string;
  readonly kind: DeliveryKind;
  readonly endpointId: string;
  /** The attempt to make, from 1. */
  readonly attempt: number;
  readonly claimedUntil: Date;
  readonly event: DeliveredEvent;
}

/** What a delivery tells. */
export interface DeliveredEvent {
  readonly id: string;
  /** A topic, or `ping`. */
  readonly topic: string;
  readonly occurredAt: Date;
  /** JSON text, sent as it is. */
  readonly data: string;
}

/** One attempt that ended. */
export interface Attempt {
  /** From 1. */
  readonly attempt: number;
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly outcome: Outcome;
  /** Of the answer; null where there was none. */
  readonly status: number | null;
  /** What went wrong, in words; null for what was delivered. */
  readonly message: string | null;
  /** The beginning of the answer's body. */
  readonly answer: string | null;
}

/** An attempt with what it means for its delivery. */
export interface Settlement {
  readonly delivery: Pick<ClaimedDelivery, 'id' | 'kind' | 'endpointId'>;
  readonly attempt: Attempt;
  /** When the next attempt may begin; undefined: there is none, the delivery is delivered or failed. */
  readonly nextAt: Date | undefined;
}

/** A claimed delivery that is given back without an attempt. */
export interface Release {
  readonly delivery: Pick<ClaimedDelivery, 'id' | 'attempt'>;
  /** When somebody may claim it. */
  readonly dueAt: Date;
}

/** Who claims, and for how long. */
export interface Claim {
  /** No two dispatchers have one name. */
  readonly dispatcher: string;
  readonly now: Date;
  /** When the claim ends. */
  readonly claimUntil: Date;
}

/** How many due deliveries of which endpoints to claim at most, the longest due first. */
export interface ClaimBatch extends Claim {
  readonly demands: readonly Demand[];
}

/** What a dispatcher writes down, in one transaction. */
export interface SettleBatch extends Pick<Claim, 'dispatcher' | 'now'> {
  /** In the order in which they ended. */
  readonly settlements: readonly Settlement[];
  readonly releases: readonly Release[];
}

export interface Demand {
  readonly endpointId: string;
  readonly count: number;
}

export interface SettleResult {
  /** Endpoints that these attempts made active. */
  readonly activated: readonly string[];
  /** Endpoints that these attempts revoked: what waits for them has to be dropped. */
  readonly revoked: readonly string[];
}

/** An endpoint for which deliveries wait. */
export interface WaitingEndpoint {
  readonly id: string;
  readonly url: string;
  readonly sealedSecret: string;
  readonly state: EndpointState;
  /** When the first of them is due, or its claim ends. */
  readonly dueAt: Date;
  /** True where some of them must never be sent: a dispatcher or command that ended has left them. */
  readonly hasLeftovers: boolean;
}

export interface Backlog {
  /** Deliveries that wait, for whatever time. */
  readonly waiting: number;
  /** Since when the first of those that are due has been; undefined where nothing is. */
  readonly oldestDueAt: Date | undefined;
}

/** A delivery and its newest attempt. */
export interface DeliveryReport {
  readonly id: string;
  readonly endpoint: Pick<WaitingEndpoint, 'id' | 'state' | 'url' | 'sealedSecret'>;
  readonly kind: DeliveryKind;
  readonly state: DeliveryState;
  /** Attempts that ended. */
  readonly attempts: number;
  readonly lastAttempt: Attempt | undefined;
}

/** When an attempt ended, in Unix milliseconds. */
export function endedAtMs({ startedAt, durationMs }: Attempt): number {
  return startedAt.getTime() + durationMs;
}
