import type { Accounts } from '../../accounts/accounts.ts';
import type { Organization } from '../../accounts/administration/organization.ts';
import type { BurstState } from '../../accounts/burst/rate-limiter.ts';
import type { Caller } from '../../accounts/caller.ts';
import type { Person } from '../../accounts/people/people.ts';
import { effectiveTerms, NO_SUBSCRIPTION } from '../../accounts/plans/terms.ts';

/** An organization as the API's rules know whoever asks; it asks here without a key. */
export function callerOf({ id, terms }: Organization): Caller {
  return { organizationId: id, apiKeyId: '', terms, clientSource: 'api_key' };
}

/** Counts what a person does here against a limit per minute, on the counter of the API's backstop. */
export async function hitPersonal(
  { backstop }: Pick<Accounts, 'backstop'>,
  person: Person,
  { what, limit, now }: { readonly what: string; readonly limit: number; readonly now: Date },
): Promise<BurstState> {
  // The limit is fixed, so no terms raise it.
  const terms = effectiveTerms(NO_SUBSCRIPTION, 0, now);
  const caller = { organizationId: '', apiKeyId: person.id, terms, clientSource: 'api_key' } as const;
  return backstop.hit(caller, { route: what, limit, isFixed: true });
}
