import { AppError } from '../../../runtime/errors.ts';
import type { UsageAnswer, UsageRequest, UsageStore } from './usage-store.ts';

export interface BatcherOptions {
  /** Requests of one commit. */
  readonly batchMax: number;
  /** Requests that may wait; further ones reject at once, since the database is too slow for the load. */
  readonly waitingMax: number;
}

interface Waiting {
  readonly request: UsageRequest;
  readonly resolve: (answer: UsageAnswer) => void;
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
  submit(request: UsageRequest): Promise<UsageAnswer> {
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
      const answers = await this.#store.apply(batch.map(({ request }) => request));
      for (const [index, { resolve, reject }] of batch.entries()) {
        const answer = answers[index];
        if (answer === undefined) reject(new Error('a usage store left a request without an answer'));
        else resolve(answer);
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
