import { AppError } from '../../../runtime/errors.ts';

/**
 * The durable counters of data responses (specification "Daily quota"; specification "Idempotency-Key"). Requests are
 * batched, so that many share one durable commit.
 * Every adapter guarantees:
 * - A cap is never exceeded, whatever runs in parallel: of M reservations for the last N units exactly N are granted.
 * - `apply` resolves after the commit.
 * - An Idempotency-Key holds at most one unit per API key, day and effective request, until all of its reservations are
 * released. Another reservation for the same request is granted without a unit, whatever the cap.
 */
export interface UsageStore {
  /** Responses in the order of the requests. Rejects with `unavailable`; some of the requests may have been counted. */
  apply(requests: readonly UsageRequest[]): Promise<readonly UsageResponse[]>;
}

export type UsageRequest = ReserveRequest | ReleaseRequest | ReadRequest;

export interface ReserveRequest extends UnitKey {
  readonly kind: 'reserve';
  /** Refused once the day's count reaches this; null: never. */
  readonly cap: number | null;
}

export interface ReleaseRequest extends UnitKey {
  readonly kind: 'release';
}

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

/** What a unit is held for, besides the API key and the day. */
export interface Idempotency {
  /** The header as sent. */
  readonly key: string;
  /** Hash of the effective request, 1 to 64 characters. */
  readonly request: string;
}

export type UnitChange = 1 | 0 | -1;

export interface UsageResponse {
  /** False only for a refused reservation. */
  readonly isGranted: boolean;
  /** The organization's units of the day after this request. */
  readonly used: number;
  /** Change of the day's count: 1 taken, -1 released, 0 neither. */
  readonly units: UnitChange;
}

export const BATCHER_OPTIONS = {
  /** Requests per commit. */
  batchMax: 1_000,
  /** Requests that may wait; above this the database is too slow and requests are rejected at once. */
  waitingMax: 20_000,
};
export type BatcherOptions = Readonly<typeof BATCHER_OPTIONS>;

interface Waiting {
  readonly request: UsageRequest;
  readonly resolve: (response: UsageResponse) => void;
  readonly reject: (error: unknown) => void;
}

/** Batches the requests that arrive in one iteration of the event loop, or while a batch is being applied. */
export class Batcher {
  readonly #store: UsageStore;
  readonly #options: BatcherOptions;
  readonly #waiting: Waiting[] = [];
  #working: Promise<void> | undefined;

  constructor(store: UsageStore, options: BatcherOptions) {
    this.#store = store;
    this.#options = options;
  }

  /** Resolves after the commit. Rejects with `unavailable`. */
  submit(request: UsageRequest): Promise<UsageResponse> {
    if (this.#waiting.length >= this.#options.waitingMax)
      return Promise.reject(new AppError('unavailable', 'the control database is too slow for the load'));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, resolve, reject });
      this.#working ??= this.#drain();
    });
  }

  /** Resolves when nothing is waiting. */
  async idle(): Promise<void> {
    while (this.#working !== undefined) await this.#working;
  }

  async #drain(): Promise<void> {
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
        if (response === undefined) reject(new Error('the usage store returned no response for a request'));
        else resolve(response);
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
