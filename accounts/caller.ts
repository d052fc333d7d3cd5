import type { ClientSource } from '../schemas/account.ts';
import type { Terms } from '../schemas/terms.ts';

/** Who makes a request, and what their organization may do at this instant. */
export interface Caller {
  readonly organizationId: string;
  readonly apiKeyId: string;
  readonly terms: Terms;
  readonly clientSource: ClientSource;
}
