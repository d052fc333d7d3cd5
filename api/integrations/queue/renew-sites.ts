import type { Kysely, Transaction } from 'kysely';
import type { ControlTables, IntegrationRow } from '../../database/tables/tables.ts';
import { SHARED_HOSTS } from '../declared/shared-hosts.ts';
import { siteOf } from '../declared/site.ts';
import { isInForce } from '../life/life.ts';
import { addSite, lockSite, releaseSite } from './sites.ts';
import { stateOf } from './standing-columns.ts';

/**
 * Brings integrations on shared hosts that were declared before the table had these to the site that it gives them now, which whoever is in
 * force there then holds. What was rejected because another organization held the whole host is due at once. A page whose address names
 * nobody stays where it was. Several processes may do it at once. Resolves to how many were moved.
 */
export async function renewSites(database: Kysely<ControlTables>, now: Date): Promise<number> {
  const rows = await database
    .selectFrom('integrations')
    .select(['id', 'url', 'domain'])
    .where('domain', 'in', [...SHARED_HOSTS.keys()])
    .where('state', '<>', 'removed')
    .orderBy('id')
    .execute();
  let moved = 0;
  for (const { id, url, domain } of rows) {
    const site = URL.canParse(url) ? siteOf(new URL(url)) : undefined;
    if (site === undefined || site === domain) continue;
    if (await database.transaction().execute((transaction) => move(transaction, { id, domain, site, now }))) moved += 1;
  }
  return moved;
}

interface Move {
  readonly id: string;
  /** Where it was. */
  readonly domain: string;
  readonly site: string;
  readonly now: Date;
}

/** False where somebody else was faster. */
async function move(transaction: Transaction<ControlTables>, { id, domain, site, now }: Move): Promise<boolean> {
  await lockSite(transaction, domain);
  const row = await transaction
    .selectFrom('integrations')
    .selectAll()
    .where('id', '=', id)
    .where('domain', '=', domain)
    .where('state', '<>', 'removed')
    .executeTakeFirst();
  if (row === undefined) return false;
  await addSite(transaction, site);
  const wasTaken = row.state === 'rejected' && row.reason === 'FOUND';
  const due_at = wasTaken ? now.getTime() : row.due_at;
  await transaction.updateTable('integrations').set({ domain: site, due_at }).where('id', '=', id).execute();
  if (isInForce(stateOf(row))) await holdFreeSite(transaction, { ...row, domain: site });
  await releaseSite(transaction, row);
  return true;
}

/** Where somebody else holds it by now, the next check says so. */
async function holdFreeSite(
  transaction: Transaction<ControlTables>,
  { domain, organization_id }: IntegrationRow,
): Promise<void> {
  await transaction
    .updateTable('integration_sites')
    .set({ organization_id })
    .where('domain', '=', domain)
    .where('organization_id', 'is', null)
    .execute();
}
