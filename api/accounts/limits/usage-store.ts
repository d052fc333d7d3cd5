import { AppError } from '../../../runtime/errors.ts';

/**
 * The durable counters of data responses (specification "Daily quota"; specification "Idempotency-Key"). A store applies
 * requests in batches: all that came within a turn of the event loop share one commit, which makes full durability affordable.
 *
 * What every adapter guarantees:
 * - Requests of one batch, of parallel batches and of other processes never exceed a cap together: of M reservations for the
 *   last N units exactly N are granted.
 * - `apply` resolves after the commit.
 * - An Idempotency-Key holds at most one unit per API key, day and effective request, and holds it as long as one of its
 *   reservations is not released. A reservation with a key that holds a unit for the same request is granted without a second
 *   unit, whatever the cap.
 */
export interface UsageStore {
  /** The answers in the order of the requests. Rejects with `unavailable`; then all of them, some or none may have been counted. */
  apply(requests: readonly UsageRequest[]): Promise<readonly UsageResponse[]>;
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

/** Only reads the count. */
export interface ReadRequest {
  readonly kind: 'read';
  readonly organizationId: string;
  readonly day: string;
}

export interface UnitKey {
  readonly organizationId: string;
  readonly credentialId: string;
  readonly day: string;
  readonly idempotency?: Idempotency | undefined;
}

/** What a unit is held for, beside the API key and the day. */
export interface Idempotency {
  /** The header as it was sent. */
  readonly key: string;
  /** A hash of the effective request, 1 to 64 characters. */
  readonly request: string;
}

export type UnitChange = 1 | 0 | -1;

export interface UsageResponse {
  /** False only for a refused reservation. */
  readonly isGranted: boolean;
  /** The organization's units of that day after this request. */
  readonly used: number;
  /** By how much this request changed the day's count: 1 taken, -1 given back, 0 none, as where an Idempotency-Key holds one. */
  readonly units: UnitChange;
}

export const BATCHER_OPTIONS = {
  /** Requests of one commit. */
  batchMax: 1_000,
  /** Requests that may wait; further ones reject at once, since the database is too slow for the load. */
  waitingMax: 20_000,
};
export type BatcherOptions = Readonly<typeof BATCHER_OPTIONS>;

interface Waiting {
  readonly request: UsageRequest;
  readonly resolve: (response: UsageResponse) => void;
  readonly reject: (error: unknown) => void;
}

/** Makes one batch of the requests that come within a turn of the event loop, or while another batch is under way. */
export class Batcher {
  readonly #store: UsageStore;
  readonly #options: BatcherOptions;
  readonly #waiting: Waiting[] = [];
  #working: Promise<void> | undefined;

  constructor(store: UsageStore, options: BatcherOptions) {
    this.#store = store;
    this.#options = options;
  }

  /** Resolves after the request was committed. Rejects with `unavailable`. */
  submit(request: UsageRequest): Promise<UsageResponse> {
    if (this.#waiting.length >= this.#options.waitingMax)
      return Promise.reject(new AppError('unavailable', 'the control database is too slow for the load'));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, resolve, reject });
      this.#working ??= this.#workOff();
    });
  }

  /** Resolves when nothing waits any more. */
  async idle(): Promise<void> {
    while (this.#working !== undefined) await this.#working;
  }

  async #workOff(): Promise<void> {
    while (this.#waiting.length > 0) {
      await new Promise((resolve) => setImmediate(resolve));
      await this.#apply(this.#waiting.splice(0, this.#options.batchMax));
    }
    this.#working = undefined;
  }

  async #apply(batch: readonly Waiting[]): Promise<void> {
    try {
      const responses = await this.#store.apply(batch.map(({ request }) => request));
      for (const [index, { resolve, reject }] of batch.entries()) {
        const response = responses[index];
        if (response === undefined) reject(new Error('a usage store left a request without an answer'));
        else resolve(response);
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
