import ipaddr from 'ipaddr.js';
import { type HttpError, httpError } from '../server/errors/http-error.ts';
import type { Accounts } from './open-accounts.ts';

/**
 * Counts a request without a key by client address (IPv6: /64). Rejects with 429 above `perMinute` in any 60 seconds.
 */
export type LimitAddress = (
  address: string,
  requests: { readonly what: string; readonly perMinute: number },
) => Promise<void>;

/** @param accounts undefined: requests are not limited */
export function addressLimiter(accounts: Pick<Accounts, 'limits'> | undefined): LimitAddress {
  return async (address, of) => {
    const state = await accounts?.limits.hit(limitedOrigin(address), of);
    if (state?.refused) throw tooManyRequests(state.retryAfterSeconds);
  };
}

export function tooManyRequests(retryAfterSeconds: number): HttpError {
  return httpError('rate_limit_exceeded', 'Too many requests from your address', {
    headers: { 'Retry-After': String(retryAfterSeconds) },
  });
}

/** Shared by all requests that need no key. */
export const PUBLIC_REQUESTS = 'public';

/** IPv6 by /64, since a household has that many addresses. */
export function limitedOrigin(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const groups = ipaddr.IPv6.parse(parsed.toString()).parts.slice(0, 4);
  return `${groups.map((group) => group.toString(16)).join(':')}::/64`;
}
