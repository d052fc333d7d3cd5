/**
 * The durable counters of data responses. A store works off requests in batches: one commit for all that came within a tick
 * is what makes full durability cheap (DESIGN §8).
 *
 * What every adapter guarantees:
 * - Requests of one batch, of parallel batches and of other processes never exceed a cap together: of M reservations for the
 *   last N units exactly N are granted.
 * - `apply` resolves after the commit.
 * - An Idempotency-Key holds at most one unit per API key and day, and holds it as long as one of its reservations is not
 *   released. Who reserves with a key that holds a unit is granted without a second one, whatever the cap.
 */
export interface UsageStore {
  /** The answers in the order of the requests. Rejects with `unavailable`; then any part of it may have been counted or none. */
  apply(requests: readonly UsageRequest[]): Promise<readonly UsageAnswer[]>;
}

export type UsageRequest = ReserveRequest | ReleaseRequest | ReadRequest;

/** Takes one unit. */
export interface ReserveRequest extends UnitKey {
  readonly kind: 'reserve';
  /** Refused where the day's count has reached this; null: never. */
  readonly cap: number | null;
}

/** Gives one unit back. */
export interface ReleaseRequest extends UnitKey {
  readonly kind: 'release';
}

/** Only asks for the count. */
export interface ReadRequest {
  readonly kind: 'read';
  readonly organizationId: string;
  readonly day: string;
}

export interface UnitKey {
  readonly organizationId: string;
  readonly apiKeyId: string;
  readonly day: string;
  readonly idempotencyKey?: string | undefined;
}

export interface UsageAnswer {
  /** False only for a refused reservation. */
  readonly isGranted: boolean;
  /** The organization's units of that day after this request. */
  readonly used: number;
}
