import ipaddr from 'ipaddr.js';
import { type HttpError, httpError } from '../server/errors/http-error.ts';
import type { Accounts } from './open-accounts.ts';

/**
 * Counts a request without a key to its client address (IPv6: /64), and rejects with 429 beyond so many of what is asked in any 60 seconds.
 */
export type LimitAddress = (
  address: string,
  requests: { readonly what: string; readonly perMinute: number },
) => Promise<void>;

/** @param accounts where requests are counted; undefined: they are not limited */
export function addressLimiter(accounts: Pick<Accounts, 'limits'> | undefined): LimitAddress {
  return async (address, of) => {
    const state = await accounts?.limits.hit(limitedOrigin(address), of);
    if (state?.refused) throw tooManyRequests(state.retryAfterSeconds);
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

/** What a client address counts as where attempts are limited: IPv6 by its /64, since a household has that many addresses. */
export function limitedOrigin(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const groups = ipaddr.IPv6.parse(parsed.toString()).parts.slice(0, 4);
  return `${groups.map((group) => group.toString(16)).join(':')}::/64`;
}
