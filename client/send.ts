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

/** What a request is sent again for, and after how long. */
export interface Retry {
  readonly error: ClientError;
  readonly delayMs: number;
}

/** What every call of the client takes. */
export interface CallOptions {
  /** Ends the call: its request and every wait. */
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
 * Sends a request until there is an answer, and gives what `read` makes of it, which rejects with a {@link ClientError} where it is
 * none ({@link throwUnlessOk}). What may pass is tried again: a connection that breaks, also while the answer is read; 5xx; and limits per
 * minute, after the time they say and a little more. All tries carry one Idempotency-Key, so they cost one unit.
 */
export async function send<T>(
  { headers, ...outgoing }: Outgoing,
  read: (response: Response) => Promise<T>,
  { settings, signal, onRetry }: SendDeps,
): Promise<T> {
  const all = { 'Idempotency-Key': randomUUID(), 'User-Agent': settings.userAgent, ...headers };
  const patience = new Patience(settings);
  const delayAfter = (error: unknown) => {
    const delayMs = patience.delayAfter(error);
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
      // The key is for this address alone.
      redirect: 'manual',
      signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
    });
    return await read(response);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof ClientError) throw error;
    throw connectionError(url, error, timeout.aborted ? `no answer within ${timeoutMs} ms` : undefined);
  }
}

/** What went wrong where there was no answer, or none to be understood. */
export function connectionError(url: string, cause: unknown, reason = reasonOf(cause)): ConnectionError {
  return new ConnectionError(`${new URL(url).origin}: ${reason}`, { code: 'no_answer' }, { cause });
}

/** The innermost cause says most: "fetch failed" says nothing. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause !== undefined) return reasonOf(error.cause);
  const { code } = error as NodeJS.ErrnoException;
  return error.message === '' ? (code ?? error.name) : error.message;
}

/** How long one request goes on trying. */
class Patience {
  readonly #settings: SendDeps['settings'];
  #failures = 0;
  #limitWaits = 0;
  #limitWaitMs = 0;

  constructor(settings: SendDeps['settings']) {
    this.#settings = settings;
  }

  /** The wait before the next try, in milliseconds; undefined: it has to be given up. */
  delayAfter(error: unknown): number | undefined {
    if (error instanceof QuotaExceededError) return undefined;
    if (error instanceof RateLimitError) return this.#afterLimit(error);
    const mayPass = error instanceof ConnectionError || error instanceof ServiceError;
    return mayPass || (error instanceof ClientError && error.status === 408) ? this.#afterFailure() : undefined;
  }

  #afterLimit({ retry_after_seconds: seconds = 1 }: RateLimitError): number | undefined {
    // The jitter keeps several that were refused at once from coming back at once.
    // A service that says 0 again and again is asked ever less often.
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

/** An id as a part of a path. Throws for the two ids that every URL resolves away. */
export function pathPart(id: string): string {
  if (id !== '.' && id !== '..') return encodeURIComponent(id);
  throw new InvalidRequestError(`"${id}" can't be asked for in a path`, { code: 'invalid_request' });
}
