import type { BaseLogger } from 'pino';
import { messageFromError } from './errors.ts';
import { doublingMs } from './retry.ts';

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
    const delayMs = failures === 0 ? everyMs : doublingMs(failures, { firstMs: everyMs, maxMs: retryMaxMs });
    await sleep(delayMs, signal);
  }
}

/** Reasons remembered; with more of them the oldest is reported again sooner. */
const REASONS_MAX = 100;

/** Remembers which reasons the log has, so that an outage fills it once and not with each request or attempt. */
export class ReportedReasons {
  readonly #reportedAtMs = new Map<string, number>();
  readonly #againMs: number;

  /** @param againMs how long a reason is not reported again, in milliseconds */
  constructor({ againMs }: { readonly againMs: number }) {
    this.#againMs = againMs;
  }

  /** True where the reason was not reported for so long, and is to be reported now. */
  isNew(reason: string, nowMs: number): boolean {
    const reportedAtMs = this.#reportedAtMs.get(reason);
    if (reportedAtMs !== undefined && nowMs - reportedAtMs < this.#againMs) return false;
    this.#reportedAtMs.delete(reason);
    this.#reportedAtMs.set(reason, nowMs);
    const [oldest] = this.#reportedAtMs.keys();
    if (this.#reportedAtMs.size > REASONS_MAX && oldest !== undefined) this.#reportedAtMs.delete(oldest);
    return true;
  }

  /** All is well again: whatever happens from now on is reported. */
  forget(): void {
    this.#reportedAtMs.clear();
  }
}
