import type { BaseLogger } from 'pino';
import { messageFromError } from './errors.ts';
import { doublingMs } from './retry.ts';

export interface RepeatOptions {
  readonly everyMs: number;
  /** Longest delay after failures; it doubles from `everyMs`. */
  readonly retryMaxMs: number;
  /** The log message of a failure. */
  readonly trouble: string;
}

export interface RepeatDeps {
  readonly signal: AbortSignal;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly log: Pick<BaseLogger, 'info' | 'error'>;
}

/**
 * Repeats work until the signal is aborted. Never rejects: a failure is logged once per reason and retried with growing
 * delay; recovery is logged too.
 */
export async function repeat(
  work: () => Promise<void>,
  { everyMs, retryMaxMs, trouble }: RepeatOptions,
  { signal, sleep, log }: RepeatDeps,
): Promise<void> {
  let [failures, reported] = [0, ''];
  while (!signal.aborted) {
    try {
      await work();
      if (failures > 0) log.info({ failures }, `recovered: ${trouble}`);
      [failures, reported] = [0, ''];
    } catch (error) {
      failures += 1;
      const reason = messageFromError(error);
      if (reason !== reported) log.error({ err: error, reason }, trouble);
      reported = reason;
    }
    const delayMs = failures === 0 ? everyMs : doublingMs(failures, { firstMs: everyMs, maxMs: retryMaxMs });
    await sleep(delayMs, signal);
  }
}

/** With more reasons, the oldest is reported again sooner. */
const REASONS_MAX = 100;

/** Remembers which reasons were logged, so that an outage doesn't flood the log. */
export class ReportedReasons {
  readonly #reportedAtMs = new Map<string, number>();
  readonly #againMs: number;

  constructor({ againMs }: { readonly againMs: number }) {
    this.#againMs = againMs;
  }

  isNew(reason: string, nowMs: number): boolean {
    const reportedAtMs = this.#reportedAtMs.get(reason);
    if (reportedAtMs !== undefined && nowMs - reportedAtMs < this.#againMs) return false;
    this.#reportedAtMs.delete(reason);
    this.#reportedAtMs.set(reason, nowMs);
    const [oldest] = this.#reportedAtMs.keys();
    if (this.#reportedAtMs.size > REASONS_MAX && oldest !== undefined) this.#reportedAtMs.delete(oldest);
    return true;
  }

  /** After recovery: the next failure is reported at once. */
  forget(): void {
    this.#reportedAtMs.clear();
  }
}
