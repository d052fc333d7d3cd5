import { type Database, type IntegrationRow, parseEnum, type Transaction } from '../database/tables/tables.ts';
import { INTEGRATION_STATES, type IntegrationState } from './integration.ts';
import { isInForce, type Lifecycle } from './lifecycle.ts';
import { SHARED_HOSTS, siteOf } from './site.ts';

/** Creates the site's row, without a holder, if missing. */
export async function addSite(transaction: Transaction, domain: string): Promise<void> {
  await transaction
    .insertInto('integration_sites')
    .values({ domain, organization_id: null, claimed_by: null, claimed_until: null })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Locks the site until the transaction ends. */
export async function lockSite(transaction: Transaction, domain: string): Promise<void> {
  await transaction
    .updateTable('integration_sites')
    .set(({ ref }) => ({ domain: ref('domain') }))
    .where('domain', '=', domain)
    .execute();
}

/**
 * Makes the organization the holder, or releases the site if its integration isn't in force. Requires the site's lock.
 */
export async function holdSite(transaction: Transaction, row: IntegrationRow): Promise<void> {
  const { domain, organization_id } = row;
  if (!isInForce(stateOf(row))) return releaseSite(transaction, row);
  await transaction.updateTable('integration_sites').set({ organization_id }).where('domain', '=', domain).execute();
}

/** Releases the site unless another integration of its holder is in force there. */
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
 * Moves integrations declared before their host was listed as shared to their new site. Those rejected because the
 * whole host was held are due at once; pages whose URL names no owner stay. Safe in several processes. Resolves to the
 * number moved.
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
  /** The previous site. */
  readonly domain: string;
  readonly site: string;
  readonly now: Date;
}

/** False if another process was faster. */
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

/** If another organization holds it, the next check reports that. */
async function holdFreeSite(transaction: Transaction, { domain, organization_id }: IntegrationRow): Promise<void> {
  await transaction
    .updateTable('integration_sites')
    .set({ organization_id })
    .where('domain', '=', domain)
    .where('organization_id', 'is', null)
    .execute();
}

export function lifecycleFrom(row: IntegrationRow): Lifecycle {
  return {
    state: stateOf(row),
    stateChangedAt: row.state_changed_at,
    failures: row.failures,
    firstFailedAt: row.first_failed_at,
    bonusUntil: row.bonus_until,
  };
}

export function columnsOf(lifecycle: Lifecycle) {
  return {
    state: lifecycle.state,
    state_changed_at: lifecycle.stateChangedAt,
    failures: lifecycle.failures,
    first_failed_at: lifecycle.firstFailedAt,
    bonus_until: lifecycle.bonusUntil,
  } satisfies Partial<IntegrationRow>;
}

export function stateOf(row: IntegrationRow): IntegrationState {
  return parseEnum(INTEGRATION_STATES, row.state);
}
