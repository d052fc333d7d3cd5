import { backOffMs, retry } from '../../../runtime/retry.ts';
import { type UpstreamAnswer, type UpstreamClient, UpstreamFault, type UpstreamRequest } from './upstream-client.ts';

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
    const waitMs = error instanceof UpstreamFault ? waitAfter(error, attempt, deps) : undefined;
    if (waitMs === undefined && error instanceof UpstreamFault && attempt > 1)
      throw new UpstreamFault(`${error.message} (${attempt} attempts)`, error);
    return waitMs;
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

/**
 * For how long a fetch that reaches nobody tries again, from its first failure. Smaller: a network that is only coming up fails a
 * night. Larger: who has none waits as long to be told, once for every few files.
 */
const GIVE_UP_MS = 5000;

export interface ReachabilityDeps {
  readonly client: Pick<UpstreamClient, 'get'>;
  readonly clock: () => Date;
}

/**
 * The client of one fetch, which knows whether it has reached anybody yet. Where nobody is reached for {@link GIVE_UP_MS}, it is the
 * machine that has no network rather than one upstream that is down: then each host is tried once more at the most.
 */
export class Reachability {
  readonly #deps: ReachabilityDeps;
  readonly #unreachable = new Map<string, UpstreamFault>();
  #isReached = false;
  #failingSince: number | undefined;

  constructor(deps: ReachabilityDeps) {
    this.#deps = deps;
  }

  /** The fault of each host, in the order in which they failed, where every one that was asked could not be reached; else none. */
  faults(): readonly UpstreamFault[] {
    return this.#isReached ? [] : [...this.#unreachable.values()];
  }

  async get(asked: UpstreamRequest): Promise<UpstreamAnswer> {
    const { host } = asked.url;
    const known = this.#unreachable.get(host);
    if (known !== undefined && this.#isGivenUp()) throw withoutRetry(known);
    try {
      const answer = await this.#deps.client.get(asked);
      this.#isReached = true;
      return answer;
    } catch (error) {
      if (!(error instanceof UpstreamFault) || !error.isUnreachable) {
        this.#isReached = true;
        throw error;
      }
      this.#failingSince ??= this.#deps.clock().getTime();
      this.#unreachable.set(host, error);
      throw this.#isGivenUp() ? withoutRetry(error) : error;
    }
  }

  #isGivenUp(): boolean {
    if (this.#isReached || this.#failingSince === undefined) return false;
    return this.#deps.clock().getTime() - this.#failingSince >= GIVE_UP_MS;
  }
}

function withoutRetry({ message }: UpstreamFault): UpstreamFault {
  return new UpstreamFault(message, { mayPass: false, isUnreachable: true });
}
