import type { BaseLogger } from 'pino';
import { messageFromError } from './errors.ts';

/** Work that is done again and again, as long as a process runs. */
export interface RepeatOptions {
  readonly everyMs: number;
  /** Longest wait after failures; it doubles from `everyMs`. */
  readonly retryMaxMs: number;
  /** What doesn't happen while it fails, for the log. */
  readonly trouble: string;
}

export interface RepeatDeps {
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Resolves after a time, or as soon as the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly log: Pick<BaseLogger, 'info' | 'error'>;
}

/** Never rejects: what fails is told once, tried again ever later, and its end is told too. */
export async function repeat(
  work: () => Promise<void>,
  { everyMs, retryMaxMs, trouble }: RepeatOptions,
  { signal, sleep, log }: RepeatDeps,
): Promise<void> {
  let [failures, told] = [0, ''];
  while (!signal.aborted) {
    try {
      await work();
      if (failures > 0) log.info({ failures }, `it works again: ${trouble}`);
      [failures, told] = [0, ''];
    } catch (error) {
      failures += 1;
      const reason = messageFromError(error);
      if (reason !== told) log.error({ err: error, reason }, trouble);
      told = reason;
    }
    const delayMs = failures === 0 ? everyMs : Math.min(everyMs * 2 ** (failures - 1), retryMaxMs);
    await sleep(delayMs, signal);
  }
}
