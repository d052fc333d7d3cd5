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
  /** A monotonic clock, such as `performance.now`. */
  readonly steadyMs: () => number;
  readonly pauseMs: CounterOptions['pauseMs'];
}

/**
 * Counts in Redis and in this process; the fuller window applies (decision 0021). While Redis fails, each replica holds
 * the limit by itself.
 */
export class SharedCounter implements WindowCounter {
  readonly #deps: SharedCounterDeps;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;
  #problem: HealthProblem | undefined;

  constructor(deps: SharedCounterDeps) {
    this.#deps = deps;
  }

  get problem(): HealthProblem | undefined {
    return this.#problem;
  }

  async hit(name: string, limit: number): Promise<Window> {
    const own = await this.#deps.own.hit(name, limit);
    if (this.#deps.steadyMs() < this.#pausedUntilMs) return own;
    try {
      const shared = await this.#deps.shared.hit(name, limit);
      this.markAvailable();
      return fuller(shared, own, limit);
    } catch (error) {
      this.#pausedUntilMs = this.#deps.steadyMs() + this.#deps.pauseMs;
      this.markUnavailable(error);
      return own;
    }
  }

  /** The connection may report this before a hit does. */
  markUnavailable(error: unknown): void {
    if (this.#problem !== undefined) return;
    const message = messageFromError(error);
    this.#problem = { code: 'unavailable', message, since: this.#deps.clock() };
    this.#deps.log.warn({ reason: message }, 'Redis is unavailable: this process counts requests per minute by itself');
  }

  markAvailable(): void {
    if (this.#problem === undefined) return;
    this.#problem = undefined;
    this.#deps.log.info({}, 'Redis is available again: requests per minute are counted across processes');
  }

  async close(): Promise<void> {
    await this.#deps.shared.close();
    await this.#deps.own.close();
  }
}

/** The window with more hits; if both are full, the longer wait. */
function fuller(one: Window, other: Window, limit: number): Window {
  const [ones, others] = [Math.min(one.hits, limit), Math.min(other.hits, limit)];
  const waitMs = ones === others ? Math.max(one.waitMs, other.waitMs) : (ones > others ? one : other).waitMs;
  return { hits: Math.max(one.hits, other.hits), waitMs };
}

export interface OpenCounterOptions extends RedisOptions {
  /** For the counts of this process. */
  readonly clock: () => Date;
  readonly log: Pick<BaseLogger, 'info' | 'warn'>;
}

/**
 * Without an address, a counter of this process. Opens even if Redis is unreachable. Rejects with `configuration` if
 * the address is invalid or Redis refuses it.
 */
export async function openCounter(redis: string | undefined, options: OpenCounterOptions): Promise<WindowCounter> {
  const own = new MemoryCounter(options.clock, options);
  if (redis === undefined) return own;
  const { RedisCounter } = await import('./redis-counter.ts');
  const shared = new RedisCounter(redis, options, {
    onError: (error) => counter.markUnavailable(error),
    onReady: () => counter.markAvailable(),
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
