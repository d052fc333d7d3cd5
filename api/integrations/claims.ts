import { sql } from 'kysely';
import type { BaseLogger } from 'pino';
import { HourlyCleanup, removeRows } from '../database/hourly-cleanup.ts';
import type { Database, IntegrationRow, Transaction } from '../database/tables/tables.ts';

/**
 * A check is claimed with its site, for a time: so no two checks of one site are under way, in whatever processes, and a process that
 * was killed holds nothing up for longer than its claim. What a check found is written only by whoever still has the claim.
 */
export interface Claim {
  /** Unlike any other claim. */
  readonly id: string;
  readonly integration: IntegrationRow;
  /** Whether somebody asked for the check; else it was due. */
  readonly isAsked: boolean;
}

/** For a whole check with all that it waits for, and room for what the process does beside it. */
export const CLAIM_MS = 60_000;

/** Whom the service offers integrations: everybody, or the organizations of a pilot (specification "Capabilities"). */
export type OfferedTo = 'everybody' | readonly string[];

/** Sites on which something is due and nothing is under way, the one that has waited longest first. */
export async function findDueSites(
  database: Database,
  { now, offeredTo, limit }: { readonly now: Date; readonly offeredTo: OfferedTo; readonly limit: number },
): Promise<readonly string[]> {
  const rows = await selectDue(database, offeredTo, now)
    .innerJoin('integration_sites', 'integration_sites.domain', 'integrations.domain')
    .select('integrations.domain')
    .where(isFree(now))
    .groupBy('integrations.domain')
    .orderBy(({ fn }) => fn.min('due_at'))
    .limit(limit)
    .execute();
  return rows.map(({ domain }) => domain);
}

/** How many integrations are due, under way or not. */
export async function countDue(
  database: Database,
  { now, offeredTo }: { readonly now: Date; readonly offeredTo: OfferedTo },
): Promise<number> {
  const { count } = await selectDue(database, offeredTo, now)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** Claims what is due first on a site; undefined where somebody else has it, or has done it since. */
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
    return integration && { id: claimId, integration, isAsked: false };
  });
}

/** False, and nothing changed, where a check of that site is under way. Locks the site until the transaction ends. */
export async function claimSite(
  transaction: Transaction,
  domain: string,
  { claimId, now }: { readonly claimId: string; readonly now: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable('integration_sites')
    .set({ claimed_by: claimId, claimed_until: now.getTime() + CLAIM_MS })
    .where('domain', '=', domain)
    .where(isFree(now))
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Ends a claim; false where it had ended and somebody else has the site. Locks the site until the transaction ends. */
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

/** A claim that ends later than this is of a clock that was set back since; clocks of processes differ by less. */
const CLAIM_AHEAD_MAX_MS = 10 * CLAIM_MS;

/** Nothing is under way on the site, or its claim is over. */
function isFree(now: Date) {
  const nowMs = now.getTime();
  const aheadMs = nowMs + CLAIM_AHEAD_MAX_MS;
  return sql<boolean>`(claimed_until is null or claimed_until <= ${nowMs} or claimed_until > ${aheadMs})`;
}

/** One row per integration that is due. */
function selectDue(database: Database, offeredTo: OfferedTo, now: Date) {
  const due = database.selectFrom('integrations').where('due_at', '<=', now.getTime());
  if (offeredTo === 'everybody') return due;
  // A list that is empty would be no SQL.
  return due.where('integrations.organization_id', 'in', offeredTo.length === 0 ? [''] : offeredTo);
}

/** For how long checks are kept, and how many of an integration at most (specification "Checks of pages"). */
const CHECKS_KEPT_DAYS = 90;
const CHECKS_KEPT_MAX = 200;

const DAY_MS = 86_400_000;
/** Checks removed at once: more keep other writers waiting longer. */
const ROWS_AT_ONCE = 500;

/** Removes checks that are older than they are kept, and those of an integration beyond the newest. */
export function checkCleanup(
  database: Database,
  log: Pick<BaseLogger, 'warn'>,
  { rowsAtOnce = ROWS_AT_ONCE }: { readonly rowsAtOnce?: number } = {},
): HourlyCleanup {
  const stepsAt = (now: Date) => {
    const old = sql`checked_at < ${now.getTime() - CHECKS_KEPT_DAYS * DAY_MS}`;
    return [
      removeRows(database, 'integration_checks', { key: ['id'], where: old }),
      removeRows(database, 'integration_checks', { key: ['id'], where: BEYOND_NEWEST }),
    ];
  };
  const failure = 'checks of integrations of days gone by could not be removed';
  return new HourlyCleanup(stepsAt, { rowsAtOnce, log, failure });
}

/** Ids sort by time, so what is before the oldest that is kept can go. */
const BEYOND_NEWEST = sql`id in (
  select c.id from (
    select i.id, (select k.id from integration_checks k where k.integration_id = i.id
                  order by k.id desc limit 1 offset ${sql.lit(CHECKS_KEPT_MAX - 1)}) as oldest
    from integrations i
  ) kept
  join integration_checks c on c.integration_id = kept.id and c.id < kept.oldest)`;
