import type { Log } from '../log.ts';
import { reasonOf } from './redis-counter.ts';
import type { Window } from './window.ts';
import type { WindowCounter } from './window-counter.ts';

export interface SharedCounterDeps {
  readonly shared: WindowCounter;
  readonly own: WindowCounter;
  readonly log: Log;
  readonly clock: () => Date;
  /** How long the shared counter is left alone after it failed, so that not every request waits for its timeout. */
  readonly pauseMs: number;
}

/**
 * Counts where all replicas do, and in this process as well. While the shared counter is away this process's own counts hold:
 * replicas then hold their limit each, never none at all. A shared counter that comes back empty frees nothing either, since
 * of both counts the larger one holds, second by second.
 */
export class SharedCounter implements WindowCounter {
  readonly #deps: SharedCounterDeps;
  #pausedUntilMs = 0;
  #isAway = false;

  constructor(deps: SharedCounterDeps) {
    this.#deps = deps;
  }

  async hit(name: string, second: number): Promise<Window> {
    const own = await this.#deps.own.hit(name, second);
    if (this.#deps.clock().getTime() < this.#pausedUntilMs) return own;
    try {
      const shared = await this.#deps.shared.hit(name, second);
      this.#cameBack();
      return shared.map((hits, index) => Math.max(hits, own[index] ?? 0));
    } catch (error) {
      this.#wentAway(error);
      return own;
    }
  }

  async close(): Promise<void> {
    await this.#deps.shared.close();
    await this.#deps.own.close();
  }

  #wentAway(error: unknown): void {
    this.#pausedUntilMs = this.#deps.clock().getTime() + this.#deps.pauseMs;
    if (this.#isAway) return;
    this.#isAway = true;
    this.#deps.log.warn({ reason: reasonOf(error) }, 'Redis is away: this process counts requests per minute alone');
  }

  #cameBack(): void {
    if (!this.#isAway) return;
    this.#isAway = false;
    this.#deps.log.info({}, 'Redis is back: requests per minute are counted together again');
  }
}
