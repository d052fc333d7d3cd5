import { type HttpError, httpError } from '../server/errors/http-error.ts';
import type { Accounts } from './accounts.ts';
import { hitFixed } from './fixed-limit.ts';
import { limitedOrigin } from './people/limits/limited-origin.ts';

/**
 * Counts a request without a key to its client address (IPv6: /64), and rejects with 429 beyond so many of what is asked in any 60 seconds.
 */
export type LimitAddress = (
  address: string,
  requests: { readonly what: string; readonly perMinute: number },
) => Promise<void>;

/** @param accounts where requests are counted; undefined: they are not limited */
export function addressLimiter({
  accounts,
  clock,
}: {
  readonly accounts: Pick<Accounts, 'backstop'> | undefined;
  readonly clock: () => Date;
}): LimitAddress {
  return async (address, { what, perMinute }) => {
    if (accounts === undefined) return;
    const state = await hitFixed(accounts, limitedOrigin(address), { what, limit: perMinute, now: clock() });
    if (state.refused) throw tooManyRequests(state.retryAfterSeconds);
  };
}

/** What a client address is refused with that asks too often. */
export function tooManyRequests(retryAfterSeconds: number): HttpError {
  return httpError('rate_limit_exceeded', 'Too many requests come from your address', {
    headers: { 'Retry-After': String(retryAfterSeconds) },
  });
}

/** Under which requests are counted that need no key: badges, pages to embed, feeds, the first page, searches of the documentation. */
export const PUBLIC_REQUESTS = 'public';
