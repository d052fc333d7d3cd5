import { type Database, type IntegrationRow, parseEnum, type Transaction } from '../database/tables/tables.ts';
import { INTEGRATION_STATES, type IntegrationState } from './integration.ts';
import { isInForce, type Standing } from './life.ts';
import { SHARED_HOSTS, siteOf } from './site.ts';

/** Makes the row of a site that nobody holds, unless it is there. */
export async function addSite(transaction: Transaction, domain: string): Promise<void> {
  await transaction
    .insertInto('integration_sites')
    .values({ domain, organization_id: null, claimed_by: null, claimed_until: null })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Keeps others from changing who holds a site until the transaction ends. */
export async function lockSite(transaction: Transaction, domain: string): Promise<void> {
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
export async function holdSite(transaction: Transaction, row: IntegrationRow): Promise<void> {
  const { domain, organization_id } = row;
  if (!isInForce(stateOf(row))) return releaseSite(transaction, row);
  await transaction.updateTable('integration_sites').set({ organization_id }).where('domain', '=', domain).execute();
}

/** Lets nobody hold a site any more that an organization holds, unless an integration of its own is in force there. */
async function releaseSite(
  transaction: Transaction,
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

/**
 * Brings integrations on shared hosts that were declared before the table had these to the site that it gives them now, which whoever is in
 * force there then holds. What was rejected because another organization held the whole host is due at once. A page whose address names
 * nobody stays where it was. Several processes may do it at once. Resolves to how many were moved.
 */
export async function renewSites(database: Database, now: Date): Promise<number> {
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
async function move(transaction: Transaction, { id, domain, site, now }: Move): Promise<boolean> {
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
async function holdFreeSite(transaction: Transaction, { domain, organization_id }: IntegrationRow): Promise<void> {
  await transaction
    .updateTable('integration_sites')
    .set({ organization_id })
    .where('domain', '=', domain)
    .where('organization_id', 'is', null)
    .execute();
}

/** Where an integration stands, from its row. */
export function standingFrom(row: IntegrationRow): Standing {
  return {
    state: stateOf(row),
    stateChangedAt: row.state_changed_at,
    failures: row.failures,
    firstFailedAt: row.first_failed_at,
    bonusUntil: row.bonus_until,
  };
}

/** The same as columns of the row. */
export function columnsOf(standing: Standing) {
  return {
    state: standing.state,
    state_changed_at: standing.stateChangedAt,
    failures: standing.failures,
    first_failed_at: standing.firstFailedAt,
    bonus_until: standing.bonusUntil,
  } satisfies Partial<IntegrationRow>;
}

export function stateOf(row: IntegrationRow): IntegrationState {
  return parseEnum(INTEGRATION_STATES, row.state);
}
