import type { BaseLogger } from 'pino';
import { messageFromError } from '../../schemas/errors.ts';
import type { Window, WindowCounter } from './window.ts';

export interface SharedCounterDeps {
  readonly shared: WindowCounter;
  readonly own: WindowCounter;
  readonly log: Pick<BaseLogger, 'info' | 'warn'>;
  /** Milliseconds that pass whatever becomes of the clock, such as `performance.now`. */
  readonly steadyMs: () => number;
  /** How long the shared counter is not asked after it failed, so that not every request waits for its timeout. */
  readonly pauseMs: number;
}

/**
 * Counts in the shared counter and in this process as well (decision 0021). While the shared counter fails, this process's own
 * counts hold: each replica then holds the limit by itself. A shared counter that comes back empty makes no room either, since
 * the fuller of both windows holds.
 */
export class SharedCounter implements WindowCounter {
  readonly #deps: SharedCounterDeps;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;
  #isAway = false;

  constructor(deps: SharedCounterDeps) {
    this.#deps = deps;
  }

  async hit(name: string, limit: number): Promise<Window> {
    const own = await this.#deps.own.hit(name, limit);
    if (this.#deps.steadyMs() < this.#pausedUntilMs) return own;
    try {
      const shared = await this.#deps.shared.hit(name, limit);
      this.#cameBack();
      return fuller(shared, own, limit);
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
    this.#pausedUntilMs = this.#deps.steadyMs() + this.#deps.pauseMs;
    if (this.#isAway) return;
    this.#isAway = true;
    this.#deps.log.warn(
      { reason: messageFromError(error) },
      'Redis is away: this process counts requests per minute alone',
    );
  }

  #cameBack(): void {
    if (!this.#isAway) return;
    this.#isAway = false;
    this.#deps.log.info({}, 'Redis is back: requests per minute are counted together again');
  }
}

/** The window with more hits; where both are full, a hit has to wait for both. */
function fuller(one: Window, other: Window, limit: number): Window {
  const [ones, others] = [Math.min(one.hits, limit), Math.min(other.hits, limit)];
  const waitMs = ones === others ? Math.max(one.waitMs, other.waitMs) : (ones > others ? one : other).waitMs;
  return { hits: Math.max(one.hits, other.hits), waitMs };
}
