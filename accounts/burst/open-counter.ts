import type { Log } from '../log.ts';
import { MemoryCounter } from './memory-counter.ts';
import type { WindowCounter } from './window-counter.ts';

export interface OpenCounterOptions {
  /** Organizations and keys counted at once in this process, some 400 bytes each. */
  readonly namesMax: number;
  /** For Redis' answer; see `RedisOptions`. */
  readonly timeoutMs: number;
  readonly connectTimeoutMs: number;
  readonly reconnectMsMax: number;
  /** How long Redis is left alone after it failed. */
  readonly pauseMs: number;
  readonly log: Log;
}

export const COUNTER_OPTIONS: Omit<OpenCounterOptions, 'log'> = {
  namesMax: 200_000,
  timeoutMs: 250,
  connectTimeoutMs: 2_000,
  reconnectMsMax: 2_000,
  pauseMs: 1_000,
};

/**
 * The counter of this process, or of all that share a Redis. A Redis that is not there is no reason not to start: the first
 * hit says so. Loads the driver only where there is one to use.
 */
export async function openCounter(redis: string | undefined, options: OpenCounterOptions): Promise<WindowCounter> {
  const own = new MemoryCounter(options);
  if (redis === undefined) return own;
  const { RedisCounter } = await import('./redis-counter.ts');
  const { SharedCounter } = await import('./shared-counter.ts');
  // Each failing hit tells of the error that the connection had; once is enough.
  const shared = new RedisCounter(redis, options, () => {});
  await shared.connect();
  // The pause is real time, unlike the windows.
  return new SharedCounter({ shared, own, log: options.log, clock: () => new Date(), pauseMs: options.pauseMs });
}
