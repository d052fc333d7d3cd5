import { UpstreamFault } from './upstream-fault.ts';

export interface RetryLimits {
  /** Tries of one request, the first included. */
  readonly attemptsMax: number;
  /** Longest wait between two, also where the upstream asks for more: then it is given up. */
  readonly waitMsMax: number;
}

export interface RetryDeps {
  readonly limits: RetryLimits;
  /** 0 ≤ x < 1, for the jitter. */
  readonly random: () => number;
  readonly sleep: (ms: number) => Promise<void>;
}

/** Smaller: a server that restarts sees all tries before it is up. Larger: a lost packet costs a night seconds. */
const FIRST_WAIT_MS = 1000;

/** Repeats work that ends in a fault that may pass; rejects with the last fault, which says then how often it was tried. */
export async function withRetries<T>(work: () => Promise<T>, deps: RetryDeps): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof UpstreamFault)) throw error;
      const waitMs = waitAfter(error, attempt, deps);
      if (waitMs === undefined) throw attempt === 1 ? error : repeated(error, attempt);
      await deps.sleep(waitMs);
    }
  }
}

/** In milliseconds; undefined where it is not tried again. Doubles each time, and chance takes up to half of it. */
function waitAfter(fault: UpstreamFault, attempt: number, { limits, random }: RetryDeps): number | undefined {
  const { attemptsMax, waitMsMax } = limits;
  const askedMs = fault.waitMs ?? 0;
  if (!fault.mayPass || attempt >= attemptsMax || askedMs > waitMsMax) return undefined;
  const longestMs = Math.min(waitMsMax, FIRST_WAIT_MS * 2 ** (attempt - 1));
  return Math.max(askedMs, longestMs * (1 - random() / 2));
}

function repeated(fault: UpstreamFault, attempts: number): UpstreamFault {
  return new UpstreamFault(`${fault.message} (${attempts} attempts)`, fault);
}

/**
 * What a `Retry-After` asks for, in milliseconds: seconds, or the instant of an HTTP date; undefined where it says neither.
 * @param now the present instant, in Unix milliseconds
 */
export function waitFromRetryAfter(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\s*\d{1,9}\s*$/.test(text)) return Number(text) * 1000;
  const at = /^[A-Za-z]{3}, /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
