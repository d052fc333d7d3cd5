import type { DispatcherDeps } from './dispatcher-options.ts';

/** After the first failure of the database; doubled with each further one. */
const BACKOFF_MS = 200;
const BACKOFF_MS_MAX = 10_000;

/** Work to be done whenever there is some. */
export interface Work {
  readonly isDue: () => boolean;
  /** Rejects where the database doesn't do its work. */
  readonly run: () => Promise<void>;
  /** Between two runs: what comes meanwhile shares a transaction. */
  readonly pauseMs: number;
}

/** Runs work again and again, until it is stopped; while it fails it is tried less and less often, and that is reported. */
export class WorkLoop {
  readonly #work: Work;
  readonly #deps: Pick<DispatcherDeps, 'sleep' | 'onEvent'>;
  #awake = Promise.withResolvers<void>();
  #failures = 0;

  constructor(work: Work, deps: Pick<DispatcherDeps, 'sleep' | 'onEvent'>) {
    this.#work = work;
    this.#deps = deps;
  }

  /** There may be work. */
  wake(): void {
    this.#awake.resolve();
  }

  /** Resolves soon after the signal is aborted and the loop is woken. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#awake = Promise.withResolvers();
      if (this.#work.isDue()) await this.#runOnce(signal);
      if (this.#work.pauseMs > 0) await this.#deps.sleep(this.#work.pauseMs, signal);
      if (!this.#work.isDue() && !signal.aborted) await this.#awake.promise;
    }
  }

  async #runOnce(signal: AbortSignal): Promise<void> {
    try {
      await this.#work.run();
      if (this.#failures > 0) this.#deps.onEvent({ type: 'recovered' });
      this.#failures = 0;
    } catch (error) {
      const retryMs = Math.min(BACKOFF_MS * 2 ** this.#failures, BACKOFF_MS_MAX);
      this.#failures += 1;
      this.#deps.onEvent({ type: 'trouble', error, retryMs });
      await this.#deps.sleep(retryMs, signal);
    }
  }
}
