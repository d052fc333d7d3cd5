import type { Kysely } from 'kysely';
import { organizationFromRow, selectOrganizations } from '../../accounts/organizations/organizations.ts';
import type { Terms } from '../../accounts/plans/terms.ts';
import type { ControlTables } from '../../database/tables/tables.ts';

/** Whether the service offers webhooks to an organization at all, whatever its plan (specification "Capabilities"). */
export type IsOffered = (organizationId: string) => boolean;

/** Of these organizations, those whose plan has webhooks now. */
export async function entitledOrganizations(
  database: Kysely<ControlTables>,
  organizationIds: readonly string[],
  { now, isOffered }: { readonly now: Date; readonly isOffered: IsOffered },
): Promise<ReadonlySet<string>> {
  if (organizationIds.length === 0) return new Set();
  const rows = await selectOrganizations(database).where('organizations.id', 'in', organizationIds).execute();
  const organizations = rows.map((row) => organizationFromRow(row, now));
  return new Set(organizations.filter(({ id, terms }) => isOffered(id) && hasWebhooks(terms)).map(({ id }) => id));
}

export function hasWebhooks({ features }: Terms): boolean {
  return features.includes('webhooks');
}
