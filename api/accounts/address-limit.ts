import ipaddr from 'ipaddr.js';
import { type HttpError, httpError } from '../server/errors/http-error.ts';
import type { Accounts } from './accounts.ts';
import type { BurstState } from './burst/rate-limiter.ts';
import { effectiveTerms, NO_BONUS, NO_SUBSCRIPTION } from './plans/terms.ts';

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

/** What a client address counts as where attempts are limited: IPv6 by its /64, since a household has that many addresses. */
export function limitedOrigin(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const groups = ipaddr.IPv6.parse(parsed.toString()).parts.slice(0, 4);
  return `${groups.map((group) => group.toString(16)).join(':')}::/64`;
}

/**
 * Counts what somebody does, who is no caller of the API, against a limit per minute, on the counter of the API's backstop.
 *
 * @param subject who: the id of a person, or the address of a client
 */
export async function hitFixed(
  { backstop }: Pick<Accounts, 'backstop'>,
  subject: string,
  { what, limit, now }: { readonly what: string; readonly limit: number; readonly now: Date },
): Promise<BurstState> {
  // The limit is fixed, so no terms raise it.
  const terms = effectiveTerms(NO_SUBSCRIPTION, NO_BONUS, now);
  const caller = { organizationId: '', credentialId: subject, terms, clientSource: 'api_key' } as const;
  return backstop.hit(caller, { route: what, limit, isFixed: true });
}
