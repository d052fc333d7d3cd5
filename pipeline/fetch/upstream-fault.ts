import { backOffMs, retry } from '../../runtime/retry.ts';

export interface UpstreamFaultOptions {
  /** Whether a retry may help. */
  readonly mayPass: boolean;
  /** The wait that the upstream requires, if any. */
  readonly waitMs?: number | undefined;
  /** Whether no host was reached: its name didn't resolve, or nothing accepted the connection. */
  readonly isUnreachable?: boolean | undefined;
}

/** Messages are for the operator: they name hosts and numbers, never what was sent or received, which may be secret. */
export class UpstreamFault extends Error {
  override readonly name = 'UpstreamFault';
  readonly mayPass: boolean;
  readonly waitMs: number | undefined;
  readonly isUnreachable: boolean;

  constructor(message: string, options: UpstreamFaultOptions) {
    super(message);
    this.mayPass = options.mayPass;
    this.waitMs = options.waitMs;
    this.isUnreachable = options.isUnreachable ?? false;
  }
}

/** For temporary faults: the network, a busy server, an incomplete response. */
export function passingFault(message: string): UpstreamFault {
  return new UpstreamFault(message, { mayPass: true });
}

/** For permanent faults. */
export function lastingFault(message: string): UpstreamFault {
  return new UpstreamFault(message, { mayPass: false });
}

export interface RetryLimits {
  /** Of one request, including the first. */
  readonly attemptsMax: number;
  /** Longest wait between two attempts; an upstream that demands more fails. */
  readonly waitMsMax: number;
}

export interface RetryDeps {
  readonly limits: RetryLimits;
  /** 0 ≤ x < 1, for the jitter. */
  readonly random: () => number;
  readonly sleep: (ms: number) => Promise<void>;
}

/** Smaller: a restarting server gets all attempts before it is up. Larger: a lost packet costs seconds. */
const FIRST_WAIT_MS = 1000;

/** Retries work after temporary faults; rejects with the last fault and the number of attempts. */
export function withRetries<T>(work: () => Promise<T>, deps: RetryDeps): Promise<T> {
  const delayAfter = (error: unknown, attempt: number) => {
    if (!(error instanceof UpstreamFault)) return undefined;
    const waitMs = waitAfter(error, attempt, deps);
    if (waitMs !== undefined || attempt === 1) return waitMs;
    throw new UpstreamFault(`${error.message} (${attempt} attempts)`, error);
  };
  return retry(work, { delayAfter, sleep: deps.sleep });
}

/** At least the upstream's wait; undefined where there is no retry. */
function waitAfter(fault: UpstreamFault, attempt: number, { limits, random }: RetryDeps): number | undefined {
  const { attemptsMax, waitMsMax: maxMs } = limits;
  const requiredMs = fault.waitMs ?? 0;
  if (!fault.mayPass || attempt >= attemptsMax || requiredMs > maxMs) return undefined;
  return Math.max(requiredMs, backOffMs(attempt, { firstMs: FIRST_WAIT_MS, maxMs }, random));
}

/**
 * Milliseconds from a `Retry-After` in seconds or with an HTTP date; undefined for other text.
 * @param now Unix milliseconds
 */
export function waitFromRetryAfter(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\s*\d{1,9}\s*$/.test(text)) return Number(text) * 1000;
  const at = /^[A-Za-z]{3}, /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
