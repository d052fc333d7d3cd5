/** Integrations as plain rows, for tests that need no check. */
import { NO_END_MS } from '../../../api/accounts/organizations/terms.ts';
import type { ControlDatabase } from '../../../api/database/control-database.ts';

export interface VerifiedOptions {
  readonly organizationId: string;
  readonly id: string;
  /** Default: nothing has ended it. */
  readonly bonusUntil?: number;
}

/** Adds an integration that was verified, on a site of its own. */
export async function addVerified(
  { kysely }: ControlDatabase,
  { organizationId, id, bonusUntil = NO_END_MS }: VerifiedOptions,
): Promise<void> {
  const domain = `${id.replaceAll('_', '-').toLowerCase()}.example`;
  await kysely.insertInto('integration_sites').values({ domain, organization_id: organizationId }).execute();
  await kysely
    .insertInto('integrations')
    .values({
      id,
      organization_id: organizationId,
      name: id,
      url: `https://${domain}/`,
      domain,
      state: 'verified',
      state_changed_at: 0,
      failures: 0,
      first_failed_at: null,
      checked_at: null,
      reason: null,
      problem: null,
      due_at: null,
      bonus_until: bonusUntil,
      notice: null,
      asked_at: null,
      asked_checks: 0,
      created_at: 0,
    })
    .execute();
}
