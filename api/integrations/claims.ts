import { sql } from 'kysely';
import type { BaseLogger } from 'pino';
import { isFreeClaim } from '../database/free-claim.ts';
import { HourlyCleanup, removeRows } from '../database/hourly-cleanup.ts';
import type { Database, IntegrationRow, Transaction } from '../database/tables/tables.ts';

/**
 * A check claims its site, so that no two run there at once and a killed process blocks it only briefly. Results need
 * the claim.
 */
export interface Claim {
  /** Unique. */
  readonly id: string;
  readonly integration: IntegrationRow;
  /** Requested by a person; otherwise scheduled. */
  readonly isRequested: boolean;
}

/** Covers a whole check and other work of the process. */
export const CLAIM_MS = 60_000;

/** All organizations, or those of a pilot (specification "Capabilities"). */
export type OfferedTo = 'everybody' | readonly string[];

/** Unclaimed sites with something due, longest wait first. */
export async function findDueSites(
  database: Database,
  { now, offeredTo, limit }: { readonly now: Date; readonly offeredTo: OfferedTo; readonly limit: number },
): Promise<readonly string[]> {
  const rows = await selectDue(database, offeredTo, now)
    .innerJoin('integration_sites', 'integration_sites.domain', 'integrations.domain')
    .select('integrations.domain')
    .where(isFreeClaim(now, { claimMs: CLAIM_MS }))
    .groupBy('integrations.domain')
    .orderBy(({ fn }) => fn.min('due_at'))
    .limit(limit)
    .execute();
  return rows.map(({ domain }) => domain);
}

/** Includes checks in progress. */
export async function countDue(
  database: Database,
  { now, offeredTo }: { readonly now: Date; readonly offeredTo: OfferedTo },
): Promise<number> {
  const { count } = await selectDue(database, offeredTo, now)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** Undefined if another process has it or did it. */
export function claimDue(
  database: Database,
  domain: string,
  { claimId, now, offeredTo }: { readonly claimId: string; readonly now: Date; readonly offeredTo: OfferedTo },
): Promise<Claim | undefined> {
  return database.transaction().execute(async (transaction) => {
    if (!(await claimSite(transaction, domain, { claimId, now }))) return undefined;
    const integration = await selectDue(transaction, offeredTo, now)
      .selectAll('integrations')
      .where('domain', '=', domain)
      .orderBy('due_at')
      .orderBy('id')
      .limit(1)
      .executeTakeFirst();
    if (integration === undefined) await freeSite(transaction, { domain, claimId });
    return integration && { id: claimId, integration, isRequested: false };
  });
}

/** False, without changes, if the site is claimed. Locks the site until the transaction ends. */
export async function claimSite(
  transaction: Transaction,
  domain: string,
  { claimId, now }: { readonly claimId: string; readonly now: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable('integration_sites')
    .set({ claimed_by: claimId, claimed_until: now.getTime() + CLAIM_MS })
    .where('domain', '=', domain)
    .where(isFreeClaim(now, { claimMs: CLAIM_MS }))
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** False if the claim had expired and another check has the site. Locks it until the transaction ends. */
export async function freeSite(
  database: Database,
  { domain, claimId }: { readonly domain: string; readonly claimId: string },
): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable('integration_sites')
    .set({ claimed_by: null, claimed_until: null })
    .where('domain', '=', domain)
    .where('claimed_by', '=', claimId)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** One row per due integration. */
function selectDue(database: Database, offeredTo: OfferedTo, now: Date) {
  const due = database.selectFrom('integrations').where('due_at', '<=', now.getTime());
  if (offeredTo === 'everybody') return due;
  // An empty list would be invalid SQL.
  return due.where('integrations.organization_id', 'in', offeredTo.length === 0 ? [''] : offeredTo);
}

/** Retention of checks (specification "Checks of pages"): days, and number per integration. */
const RETENTION_DAYS = 90;
const RETAINED_MAX = 200;

const DAY_MS = 86_400_000;
/** More block other writers longer. */
const ROWS_AT_ONCE = 500;

/** Deletes checks beyond the retention. */
export function checkCleanup(
  database: Database,
  log: Pick<BaseLogger, 'warn'>,
  { rowsAtOnce = ROWS_AT_ONCE }: { readonly rowsAtOnce?: number } = {},
): HourlyCleanup {
  const stepsAt = (now: Date) => {
    const old = sql`checked_at < ${now.getTime() - RETENTION_DAYS * DAY_MS}`;
    return [
      removeRows(database, 'integration_checks', { key: ['id'], where: old }),
      removeRows(database, 'integration_checks', { key: ['id'], where: BEYOND_NEWEST }),
    ];
  };
  const failure = 'old checks of integrations could not be deleted';
  return new HourlyCleanup(stepsAt, { rowsAtOnce, log, failure });
}

/** Ids sort by time. */
const BEYOND_NEWEST = sql`id in (
  select c.id from (
    select i.id, (select k.id from integration_checks k where k.integration_id = i.id
                  order by k.id desc limit 1 offset ${sql.lit(RETAINED_MAX - 1)}) as oldest
    from integrations i
  ) retained
  join integration_checks c on c.integration_id = retained.id and c.id < retained.oldest)`;
