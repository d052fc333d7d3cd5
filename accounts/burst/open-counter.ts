import type { Log } from '../log.ts';
import { MemoryCounter } from './memory-counter.ts';
import type { WindowCounter } from './window-counter.ts';

export interface OpenCounterOptions {
  /** Organizations and keys counted at once, some 400 bytes each. */
  readonly namesMax: number;
  readonly timeoutMs: number;
  readonly pauseMs: number;
  readonly log: Log;
}

/** The counter of this process, or of all that share a Redis. */
export async function openCounter(
  redis: string | undefined,
  { namesMax = 200_000 }: Partial<OpenCounterOptions>,
): Promise<WindowCounter> {
  if (redis !== undefined) throw new Error('not yet');
  return new MemoryCounter({ namesMax });
}
