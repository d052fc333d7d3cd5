import type { Transaction } from 'kysely';
import type { ControlTables, IntegrationRow } from '../../database/tables/tables.ts';
import { INTEGRATION_STATES } from '../integration.ts';
import { isInForce } from '../life/life.ts';
import { stateOf } from './standing-columns.ts';

/** Makes the row of a site that nobody holds, unless it is there. */
export async function addSite(transaction: Transaction<ControlTables>, domain: string): Promise<void> {
  await transaction
    .insertInto('integration_sites')
    .values({ domain, organization_id: null, claimed_by: null, claimed_until: null })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Keeps others from changing who holds a site until the transaction ends. */
export async function lockSite(transaction: Transaction<ControlTables>, domain: string): Promise<void> {
  await transaction
    .updateTable('integration_sites')
    .set(({ ref }) => ({ domain: ref('domain') }))
    .where('domain', '=', domain)
    .execute();
}

/**
 * Lets the one organization hold a site whose integration is in force there, and nobody where none is any more. The site must be locked
 * by the transaction.
 */
export async function holdSite(transaction: Transaction<ControlTables>, row: IntegrationRow): Promise<void> {
  const { domain, organization_id } = row;
  if (!isInForce(stateOf(row))) return releaseSite(transaction, row);
  await transaction.updateTable('integration_sites').set({ organization_id }).where('domain', '=', domain).execute();
}

/** Lets nobody hold a site any more that an organization holds, unless an integration of its own is in force there. */
export async function releaseSite(
  transaction: Transaction<ControlTables>,
  { domain, organization_id }: Pick<IntegrationRow, 'domain' | 'organization_id'>,
): Promise<void> {
  const other = await transaction
    .selectFrom('integrations')
    .select('id')
    .where('domain', '=', domain)
    .where('organization_id', '=', organization_id)
    .where('state', 'in', INTEGRATION_STATES.filter(isInForce))
    .limit(1)
    .executeTakeFirst();
  if (other !== undefined) return;
  await transaction
    .updateTable('integration_sites')
    .set({ organization_id: null })
    .where('domain', '=', domain)
    .where('organization_id', '=', organization_id)
    .execute();
}
