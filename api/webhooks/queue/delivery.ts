import type { EndpointState } from '../endpoints/endpoint.ts';

export const DELIVERY_KINDS = ['event', 'replay', 'ping'] as const;
export type DeliveryKind = (typeof DELIVERY_KINDS)[number];

export const DELIVERY_STATES = ['waiting', 'delivered', 'failed', 'dropped'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** A 2xx in time, or the reason for failure (specification "Delivery"). */
export const OUTCOMES = ['delivered', 'status', 'redirect', 'timeout', 'tls', 'dns', 'connection', 'blocked'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** A delivery that a dispatcher may attempt until the claim expires. */
export interface ClaimedDelivery {
  readonly id: string;
  readonly kind: DeliveryKind;
  readonly endpointId: string;
  /** The attempt to make, from 1. */
  readonly attempt: number;
  readonly claimedUntil: Date;
  readonly event: DeliveredEvent;
}

export interface DeliveredEvent {
  readonly id: string;
  /** A topic, or `ping`. */
  readonly topic: string;
  readonly occurredAt: Date;
  /** JSON text, sent as is. */
  readonly data: string;
}

export interface Attempt {
  /** From 1. */
  readonly attempt: number;
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly outcome: Outcome;
  /** Of the response; null without one. */
  readonly status: number | null;
  /** The error; null if delivered. */
  readonly message: string | null;
  /** The start of the response's body. */
  readonly answer: string | null;
}

/** An ended attempt and what follows for its delivery. */
export interface Settlement {
  readonly delivery: Pick<ClaimedDelivery, 'id' | 'kind' | 'endpointId'>;
  readonly attempt: Attempt;
  /** Start of the next attempt; undefined if delivered or failed. */
  readonly nextAt: Date | undefined;
}

/** A claimed delivery returned without an attempt. */
export interface Release {
  readonly delivery: Pick<ClaimedDelivery, 'id' | 'attempt'>;
  /** When it may be claimed. */
  readonly dueAt: Date;
}

export interface Claim {
  /** Unique. */
  readonly dispatcher: string;
  readonly now: Date;
  readonly claimUntil: Date;
}

export interface ClaimBatch extends Claim {
  readonly demands: readonly Demand[];
}

/** Written in one transaction. */
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
  /** Endpoints that these attempts activated. */
  readonly activated: readonly string[];
  /** Endpoints that these attempts revoked: their waiting deliveries must be dropped. */
  readonly revoked: readonly string[];
}

export interface WaitingEndpoint {
  readonly id: string;
  readonly url: string;
  readonly sealedSecret: string;
  readonly state: EndpointState;
  /** When the first delivery is due, or its claim ends. */
  readonly dueAt: Date;
  /** Some must never be sent; a process was killed before it dropped them. */
  readonly hasLeftovers: boolean;
}

export interface Backlog {
  /** Waiting deliveries, due or not. */
  readonly waiting: number;
  /** Since when the longest-due delivery is due; undefined if none is. */
  readonly oldestDueAt: Date | undefined;
}

export interface DeliveryReport {
  readonly id: string;
  readonly endpoint: Pick<WaitingEndpoint, 'id' | 'state' | 'url' | 'sealedSecret'>;
  readonly kind: DeliveryKind;
  readonly state: DeliveryState;
  /** Attempts that ended. */
  readonly attempts: number;
  readonly lastAttempt: Attempt | undefined;
}

/** In Unix milliseconds. */
export function endedAtMs({ startedAt, durationMs }: Attempt): number {
  return startedAt.getTime() + durationMs;
}
