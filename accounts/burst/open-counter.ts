import type { BaseLogger } from 'pino';
import { MemoryCounter, type MemoryCounterOptions } from './memory-counter.ts';
import type { RedisOptions } from './redis-counter.ts';
import { SharedCounter } from './shared-counter.ts';
import type { WindowCounter } from './window.ts';

export interface OpenCounterOptions extends MemoryCounterOptions, RedisOptions {
  /** The clock of this process's own counts. */
  readonly clock: () => Date;
  /** How long Redis is not asked after it failed. */
  readonly pauseMs: number;
  readonly log: Pick<BaseLogger, 'info' | 'warn'>;
}

export const COUNTER_OPTIONS: Omit<OpenCounterOptions, 'log' | 'clock'> = {
  namesMax: 200_000,
  bytesMax: 64 * 1024 * 1024,
  timeoutMs: 250,
  connectTimeoutMs: 2_000,
  reconnectMsMax: 2_000,
  pauseMs: 1_000,
};

/**
 * Opens a counter for this process alone, or with the address of a Redis one that all processes share. Without an answer from
 * Redis it opens all the same, and the first hit logs that. Loads the driver only where there is an address. Rejects
 * with `configuration` where the address is not valid.
 */
export async function openCounter(redis: string | undefined, options: OpenCounterOptions): Promise<WindowCounter> {
  const own = new MemoryCounter(options.clock, options);
  if (redis === undefined) return own;
  const { RedisCounter } = await import('./redis-counter.ts');
  // Errors of the connection need no log of their own: SharedCounter logs the first hit that fails.
  const shared = new RedisCounter(redis, options, () => {});
  await shared.connect();
  return new SharedCounter({
    shared,
    own,
    log: options.log,
    steadyMs: () => performance.now(),
    pauseMs: options.pauseMs,
  });
}
