import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { backOffMs, retry } from '../runtime/retry.ts';
import type { ClientSettings } from './client-settings.ts';
import {
  ClientError,
  ConnectionError,
  InvalidRequestError,
  QuotaExceededError,
  RateLimitError,
  ServiceError,
} from './errors.ts';

export interface Retry {
  readonly error: ClientError;
  readonly delayMs: number;
}

export interface CallOptions {
  /** Aborts the request and all waits. */
  readonly signal?: AbortSignal | undefined;
}

export interface SendDeps extends CallOptions {
  readonly settings: Omit<ClientSettings, 'key' | 'url'>;
  readonly onRetry?: ((retry: Retry) => void) | undefined;
}

/** A `GET`, or with a body a `POST`. */
export interface Outgoing {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * Sends a request and returns what `read` makes of the response; `read` rejects for errors ({@link throwUnlessOk}).
 * Retries broken connections, 5xx, and limits per minute after the stated time. All attempts share an Idempotency-Key,
 * so they cost one unit.
 */
export async function send<T>(
  { headers, ...outgoing }: Outgoing,
  read: (response: Response) => Promise<T>,
  { settings, signal, onRetry }: SendDeps,
): Promise<T> {
  const all = { 'Idempotency-Key': randomUUID(), 'User-Agent': settings.userAgent, ...headers };
  const budget = new RetryBudget(settings);
  const delayAfter = (error: unknown) => {
    const delayMs = budget.delayAfter(error);
    if (delayMs === undefined || !(error instanceof ClientError)) return undefined;
    onRetry?.({ error, delayMs });
    return delayMs;
  };
  const { timeoutMs } = settings;
  return retry(() => sendOnce({ ...outgoing, headers: all }, read, { timeoutMs, signal }), {
    delayAfter,
    sleep: (delayMs) => sleep(delayMs, undefined, { signal }),
  });
}

async function sendOnce<T>(
  { url, headers, body }: Outgoing,
  read: (response: Response) => Promise<T>,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal | undefined },
): Promise<T> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, {
      headers,
      ...(body === undefined ? {} : { method: 'POST', body }),
      // The key is for this URL only.
      redirect: 'manual',
      signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
    });
    return await read(response);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof ClientError) throw error;
    throw connectionError(url, error, timeout.aborted ? `no response within ${timeoutMs} ms` : undefined);
  }
}

export function connectionError(url: string, cause: unknown, reason = reasonOf(cause)): ConnectionError {
  return new ConnectionError(`${new URL(url).origin}: ${reason}`, { code: 'no_answer' }, { cause });
}

/** The innermost cause says most; "fetch failed" says nothing. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause !== undefined) return reasonOf(error.cause);
  const { code } = error as NodeJS.ErrnoException;
  return error.message === '' ? (code ?? error.name) : error.message;
}

class RetryBudget {
  readonly #settings: SendDeps['settings'];
  #failures = 0;
  #limitWaits = 0;
  #limitWaitMs = 0;

  constructor(settings: SendDeps['settings']) {
    this.#settings = settings;
  }

  /** Milliseconds before the next attempt; undefined: give up. */
  delayAfter(error: unknown): number | undefined {
    if (error instanceof QuotaExceededError) return undefined;
    if (error instanceof RateLimitError) return this.#afterLimit(error);
    const isTransient = error instanceof ConnectionError || error instanceof ServiceError;
    return isTransient || (error instanceof ClientError && error.status === 408) ? this.#afterFailure() : undefined;
  }

  #afterLimit({ retry_after_seconds: seconds = 1 }: RateLimitError): number | undefined {
    // Jitter spreads requests that were refused together. A service that keeps sending 0 is retried ever less often.
    const leastMs = FIRST_DELAY_MS * (2 ** this.#limitWaits - 1);
    this.#limitWaits += 1;
    const delayMs = Math.ceil(Math.max(seconds * 1000, leastMs) + Math.random() * JITTER_MS);
    this.#limitWaitMs += delayMs;
    return this.#limitWaitMs <= this.#settings.limitWaitMsMax ? delayMs : undefined;
  }

  #afterFailure(): number | undefined {
    this.#failures += 1;
    const { attemptsMax, retryDelayMsMax } = this.#settings;
    if (this.#failures >= attemptsMax) return undefined;
    return Math.ceil(backOffMs(this.#failures, { firstMs: FIRST_DELAY_MS, maxMs: retryDelayMsMax }, Math.random));
  }
}

const JITTER_MS = 1000;
const FIRST_DELAY_MS = 1000;

/** Encodes an id for a path. Throws for the two ids that every URL parser resolves. */
export function pathPart(id: string): string {
  if (id !== '.' && id !== '..') return encodeURIComponent(id);
  throw new InvalidRequestError(`"${id}" can't be part of a path`, { code: 'invalid_request' });
}
