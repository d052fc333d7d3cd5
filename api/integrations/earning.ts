import type { Kysely } from 'kysely';
import { readOrganization } from '../accounts/organizations/organizations.ts';
import { ATTRIBUTION_BONUS, PLANS } from '../accounts/plans/plans.ts';
import type { ControlTables } from '../database/tables/tables.ts';

/** Of an organization whose integrations raise nothing. */
export const NONE_EARNING: ReadonlySet<string> = new Set();

/**
 * The integrations of an organization that raise its quota at `now`, by their ids: as many as its plan lets count, those that end last;
 * of those that end together the oldest (specification "Verified integrations"). Rejects with `not_found`.
 */
export async function findEarning(
  database: Kysely<ControlTables>,
  organizationId: string,
  now: Date,
): Promise<ReadonlySet<string>> {
  const { terms } = await readOrganization(database, organizationId, now);
  if (!PLANS[terms.plan].hasAttributionBonus) return NONE_EARNING;
  const rows = await database
    .selectFrom('integrations')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('bonus_until', '>', now.getTime())
    .orderBy('bonus_until', 'desc')
    .orderBy('id')
    .limit(ATTRIBUTION_BONUS.integrationsMax)
    .execute();
  return new Set(rows.map(({ id }) => id));
}
