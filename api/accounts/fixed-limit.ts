import type { Accounts } from './accounts.ts';
import type { BurstState } from './burst/rate-limiter.ts';
import { NO_BONUS } from './plans/bonus.ts';
import { effectiveTerms, NO_SUBSCRIPTION } from './plans/terms.ts';

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
