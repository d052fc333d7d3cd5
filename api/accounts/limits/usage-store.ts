import { AppError } from '../../../runtime/errors.ts';

/**
 * The durable counters of data responses (specification "Daily quota"; specification "Idempotency-Key"), batched to
 * share commits. Every adapter guarantees:
 * - A cap is never exceeded: of M parallel reservations for the last N units exactly N are granted.
 * - `apply` resolves after the commit.
 * - An Idempotency-Key holds at most one unit per API key, day and effective request, until all of its reservations are
 * released. Further ones are granted without a unit, whatever the cap.
 */
export interface UsageStore {
  /** In the order of the requests. Rejects with `unavailable`; some may have been counted. */
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
  /** After this request. */
  readonly used: number;
  /** Change of the day's count: 1 taken, -1 released, 0 neither. */
  readonly units: UnitChange;
}

export const BATCHER_OPTIONS = {
  /** Requests per commit. */
  batchMax: 1_000,
  /** More are rejected at once. */
  waitingMax: 20_000,
};
export type BatcherOptions = Readonly<typeof BATCHER_OPTIONS>;

interface Waiting {
  readonly request: UsageRequest;
  readonly resolve: (response: UsageResponse) => void;
  readonly reject: (error: unknown) => void;
}

/** Batches requests of one iteration of the event loop, or those arriving during another batch. */
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
