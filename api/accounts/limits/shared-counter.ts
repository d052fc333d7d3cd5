import type { BaseLogger } from 'pino';
import { messageFromError } from '../../../runtime/errors.ts';
import type { HealthProblem } from '../../../runtime/health-problem.ts';
import { type CounterOptions, MemoryCounter, type Window, type WindowCounter } from './rate-limiter.ts';
import type { RedisOptions } from './redis-counter.ts';

export interface SharedCounterDeps {
  readonly shared: WindowCounter;
  readonly own: WindowCounter;
  readonly log: Pick<BaseLogger, 'info' | 'warn'>;
  readonly clock: () => Date;
  /** Milliseconds that pass whatever becomes of the clock, such as `performance.now`. */
  readonly steadyMs: () => number;
  readonly pauseMs: CounterOptions['pauseMs'];
}

/**
 * Counts in the shared counter and in this process as well (decision 0021). While the shared counter fails, this process's own
 * counts hold: each replica then holds the limit by itself. A shared counter that comes back empty makes no room either, since
 * the fuller of both windows holds.
 */
export class SharedCounter implements WindowCounter {
  readonly #deps: SharedCounterDeps;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;
  #problem: HealthProblem | undefined;

  constructor(deps: SharedCounterDeps) {
    this.#deps = deps;
  }

  /** For operators: why the shared counter did not count when it was last needed or its connection ended; undefined: it does. */
  get problem(): HealthProblem | undefined {
    return this.#problem;
  }

  async hit(name: string, limit: number): Promise<Window> {
    const own = await this.#deps.own.hit(name, limit);
    if (this.#deps.steadyMs() < this.#pausedUntilMs) return own;
    try {
      const shared = await this.#deps.shared.hit(name, limit);
      this.cameBack();
      return fuller(shared, own, limit);
    } catch (error) {
      this.#pausedUntilMs = this.#deps.steadyMs() + this.#deps.pauseMs;
      this.wentAway(error);
      return own;
    }
  }

  /** The shared counter can't be asked; its connection may tell before a hit does. */
  wentAway(error: unknown): void {
    if (this.#problem !== undefined) return;
    const message = messageFromError(error);
    this.#problem = { code: 'unavailable', message, since: this.#deps.clock() };
    this.#deps.log.warn({ reason: message }, 'Redis is away: this process counts requests per minute alone');
  }

  cameBack(): void {
    if (this.#problem === undefined) return;
    this.#problem = undefined;
    this.#deps.log.info({}, 'Redis is back: requests per minute are counted together again');
  }

  async close(): Promise<void> {
    await this.#deps.shared.close();
    await this.#deps.own.close();
  }
}

/** The window with more hits; where both are full, a hit has to wait for both. */
function fuller(one: Window, other: Window, limit: number): Window {
  const [ones, others] = [Math.min(one.hits, limit), Math.min(other.hits, limit)];
  const waitMs = ones === others ? Math.max(one.waitMs, other.waitMs) : (ones > others ? one : other).waitMs;
  return { hits: Math.max(one.hits, other.hits), waitMs };
}

export interface OpenCounterOptions extends RedisOptions {
  /** The clock of this process's own counts. */
  readonly clock: () => Date;
  readonly log: Pick<BaseLogger, 'info' | 'warn'>;
}

/**
 * Opens a counter for this process alone, or with the address of a Redis one that all processes share. Where Redis can't be
 * reached it opens all the same, and logs that. Loads the driver only where there is an address. Rejects with `configuration`
 * where the address is not valid, or Redis refuses what it says.
 */
export async function openCounter(redis: string | undefined, options: OpenCounterOptions): Promise<WindowCounter> {
  const own = new MemoryCounter(options.clock, options);
  if (redis === undefined) return own;
  const { RedisCounter } = await import('./redis-counter.ts');
  const shared = new RedisCounter(redis, options, {
    onError: (error) => counter.wentAway(error),
    onReady: () => counter.cameBack(),
  });
  const counter = new SharedCounter({
    shared,
    own,
    log: options.log,
    clock: options.clock,
    steadyMs: () => performance.now(),
    pauseMs: options.pauseMs,
  });
  try {
    await shared.connect();
    return counter;
  } catch (error) {
    await counter.close();
    throw error;
  }
}
