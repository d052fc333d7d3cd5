/** What goes wrong with upstreams, in words for the operator, and when a request is tried again. */
import { backOffMs, retry } from '../../runtime/retry.ts';

export interface UpstreamFaultOptions {
  /** Whether another try may help. */
  readonly mayPass: boolean;
  /** How long the upstream wants to be left alone, in milliseconds, where it says so. */
  readonly waitMs?: number | undefined;
  /** Whether the request came to no host at all: nothing resolved its name, or took its connection. */
  readonly isUnreachable?: boolean | undefined;
}

/**
 * Why a file could not be had from its upstream, in words for the operator. They name hosts and numbers, never what was sent or
 * received: either may hold a secret.
 */
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

/** A fault that time may mend: the network, a busy server, an answer that was cut off. */
export function passingFault(message: string): UpstreamFault {
  return new UpstreamFault(message, { mayPass: true });
}

/** A fault that is the same tomorrow. */
export function lastingFault(message: string): UpstreamFault {
  return new UpstreamFault(message, { mayPass: false });
}

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
export function withRetries<T>(work: () => Promise<T>, deps: RetryDeps): Promise<T> {
  const delayAfter = (error: unknown, attempt: number) => {
    if (!(error instanceof UpstreamFault)) return undefined;
    const waitMs = waitAfter(error, attempt, deps);
    if (waitMs !== undefined || attempt === 1) return waitMs;
    throw new UpstreamFault(`${error.message} (${attempt} attempts)`, error);
  };
  return retry(work, { delayAfter, sleep: deps.sleep });
}

/** In milliseconds, as long as the upstream asks for at the least; undefined where it is not tried again. */
function waitAfter(fault: UpstreamFault, attempt: number, { limits, random }: RetryDeps): number | undefined {
  const { attemptsMax, waitMsMax: maxMs } = limits;
  const askedMs = fault.waitMs ?? 0;
  if (!fault.mayPass || attempt >= attemptsMax || askedMs > maxMs) return undefined;
  return Math.max(askedMs, backOffMs(attempt, { firstMs: FIRST_WAIT_MS, maxMs }, random));
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
