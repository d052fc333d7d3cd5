import type { Caller } from '../../accounts/caller.ts';
import type { Organization } from '../../accounts/organizations/organizations.ts';

/** An organization as the API's rules know whoever asks; it asks here without a key. */
export function callerOf({ id, terms }: Organization): Caller {
  return { organizationId: id, credentialId: '', terms, clientSource: 'api_key' };
}
