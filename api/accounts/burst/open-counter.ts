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
