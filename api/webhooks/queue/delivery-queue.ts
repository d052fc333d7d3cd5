/**
 * The deliveries that wait, shared out among dispatchers. A dispatcher claims deliveries for a time, attempts them, and tells
 * how that went (specification "Delivery"). What holds on both databases:
 *
 * - A claimed delivery is nobody else's until its claim ends. A dispatcher that died loses its claims with time, and the attempt
 *   that it did not tell of is made again under the same number: nothing is skipped.
 * - What a dispatcher tells of counts only while the delivery still waits, is claimed by it, and is at that attempt. Everything
 *   else is ignored: the delivery was dropped meanwhile, or another dispatcher has it.
 * - The attempts of a turn, what follows from them for their endpoints, and the next claims are one transaction.
 */
import type { EndpointState } from '../endpoints/endpoint.ts';

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

/** Where deliveries go, as of the last turn. */
export interface Target {
  readonly id: string;
  readonly url: string;
  readonly state: EndpointState;
  readonly sealedSecret: string;
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

export interface Turn {
  /** Who asks; no two dispatchers have one name. */
  readonly dispatcher: string;
  readonly now: Date;
  /** In the order in which they ended. */
  readonly settlements: readonly Settlement[];
  readonly releases: readonly Release[];
  /** How many due deliveries of which endpoints to claim at most, the longest due first. */
  readonly wants: readonly Want[];
  /** When the new claims end. */
  readonly claimUntil: Date;
  /** Endpoints whose target is to be told; those of `wants` always are. */
  readonly endpointIds: readonly string[];
}

export interface Want {
  readonly endpointId: string;
  readonly count: number;
}

export interface TurnResult {
  readonly claimed: readonly ClaimedDelivery[];
  readonly targets: readonly Target[];
  /** Settlements that another transaction kept from being written just now: tell of them again. */
  readonly unsettled: readonly Settlement[];
  /** Endpoints that these attempts made active. */
  readonly activated: readonly string[];
  /** Endpoints that these attempts revoked: what waits for them has to be dropped. */
  readonly revoked: readonly string[];
}

/** An endpoint for which deliveries wait. */
export interface WaitingEndpoint {
  readonly id: string;
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
  readonly endpointId: string;
  readonly kind: DeliveryKind;
  readonly state: DeliveryState;
  /** Attempts that ended. */
  readonly attempts: number;
  readonly lastAttempt: Attempt | undefined;
}

/** All methods reject with `unavailable` where the database doesn't do its work. */
export interface DeliveryQueue {
  turn(turn: Turn): Promise<TurnResult>;
  /** Claims one delivery, also before it is due; undefined where it doesn't wait or somebody has claimed it. */
  claim(
    deliveryId: string,
    claim: Pick<Turn, 'dispatcher' | 'now' | 'claimUntil'>,
  ): Promise<ClaimedDelivery | undefined>;
  /** All endpoints for which deliveries wait, whatever their state. */
  findWaiting(): Promise<readonly WaitingEndpoint[]>;
  /** Drops what must not be sent to an endpoint any more; resolves to how many. Running it again does no harm. */
  drop(endpoint: Pick<Target, 'id' | 'state'>, now: Date): Promise<number>;
  find(deliveryId: string): Promise<DeliveryReport | undefined>;
  findTarget(endpointId: string): Promise<Target | undefined>;
  backlog(now: Date): Promise<Backlog>;
}
