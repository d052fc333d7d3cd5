/**
 * Due digests. A process claims one, sends it, and records that; so several processes share the work, and a killed one
 * delays it briefly. A mail that was sent but not recorded, because its process was killed between the two, is sent
 * again with the same Message-ID.
 */
import { sql } from 'kysely';
import type { Day } from '../../runtime/day.ts';
import { isFreeClaim } from '../database/free-claim.ts';
import { type Database, parseEnum } from '../database/tables/tables.ts';
import type { DigestRecipient } from './digest-mail.ts';
import { FREQUENCIES, type Frequency, nextDigestAt } from './frequency.ts';

export interface DueDigest {
  readonly personId: string;
  readonly frequency: Frequency;
  readonly reportedDay: Day | null;
  readonly dueAt: number;
  readonly failures: number;
}

/** Longer than a mail may take. */
export const CLAIM_MS = 5 * 60_000;

/** Unclaimed ones, longest wait first. */
export async function findDueDigests(
  database: Database,
  { now, limit }: { readonly now: Date; readonly limit: number },
): Promise<readonly DueDigest[]> {
  const rows = await database
    .selectFrom('email_digests')
    .selectAll()
    .where('due_at', '<=', now.getTime())
    .where(isFreeClaim(now, { claimMs: CLAIM_MS }))
    .orderBy('due_at')
    .orderBy('person_id')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    personId: row.person_id,
    frequency: parseEnum(FREQUENCIES, row.frequency),
    reportedDay: row.reported_day,
    dueAt: row.due_at,
    failures: row.failures,
  }));
}

/** Includes those that are being sent. */
export async function countDueDigests(database: Database, now: Date): Promise<number> {
  const due = database.selectFrom('email_digests').where('due_at', '<=', now.getTime());
  const { count } = await due.select(({ fn }) => fn.countAll<number>().as('count')).executeTakeFirstOrThrow();
  return count;
}

export interface Claim {
  /** Unique. */
  readonly claimId: string;
  readonly now: Date;
}

/** False if another process has it or sent it, or the person has chosen anew. */
export async function claimDigest(
  database: Database,
  { personId, dueAt }: DueDigest,
  { claimId, now }: Claim,
): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable('email_digests')
    .set({ claimed_by: claimId, claimed_until: now.getTime() + CLAIM_MS })
    .where('person_id', '=', personId)
    .where('due_at', '=', dueAt)
    .where(isFreeClaim(now, { claimMs: CLAIM_MS }))
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Undefined for a person who is a member of no organization, or whose address is not verified. */
export async function findRecipient(
  database: Database,
  { personId, frequency }: DueDigest,
): Promise<DigestRecipient | undefined> {
  const row = await database
    .selectFrom('people')
    .innerJoin('members', 'members.person_id', 'people.id')
    .select(['people.email', 'people.email_verified', 'members.organization_id'])
    .where('people.id', '=', personId)
    .orderBy('members.created_at')
    .limit(1)
    .executeTakeFirst();
  if (row === undefined || !row.email_verified) return undefined;
  return { personId, frequency, email: row.email, organizationId: row.organization_id };
}

interface Settlement extends Claim {
  /** Of the UTC day. */
  readonly hour: number;
}

/** Everything up to a day was reported. False, without a change, if the claim was lost. */
export function settleDigest(
  database: Database,
  { personId }: DueDigest,
  { reportedDay, ...settlement }: Settlement & { readonly reportedDay: Day | null },
): Promise<boolean> {
  const nextAt = nextTimes(settlement);
  return endClaim(database, personId, settlement.claimId, {
    due: (frequency) => nextAt[frequency],
    set: { reported_day: reportedDay, failures: 0 },
  });
}

/** Puts it off without telling the person; undefined: to its next time. */
export function putOffDigest(
  database: Database,
  { personId }: DueDigest,
  { until, failures, ...settlement }: Settlement & { readonly until: Date | undefined; readonly failures: number },
): Promise<boolean> {
  const nextAt = nextTimes(settlement);
  return endClaim(database, personId, settlement.claimId, {
    due: (frequency) => Math.min(until?.getTime() ?? Number.POSITIVE_INFINITY, nextAt[frequency]),
    set: { failures },
  });
}

function nextTimes({ now, hour }: Settlement): Readonly<Record<Frequency, number>> {
  return {
    daily: nextDigestAt('daily', now, hour).getTime(),
    weekly: nextDigestAt('weekly', now, hour).getTime(),
  };
}

/** The frequency may have changed since the claim. */
async function endClaim(
  database: Database,
  personId: string,
  claimId: string,
  {
    due,
    set,
  }: {
    readonly due: (frequency: Frequency) => number;
    readonly set: { readonly reported_day?: Day | null; readonly failures: number };
  },
): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable('email_digests')
    .set({
      ...set,
      due_at: sql<number>`case frequency when 'daily' then cast(${due('daily')} as bigint)
        else cast(${due('weekly')} as bigint) end`,
      claimed_by: null,
      claimed_until: null,
    })
    .where('person_id', '=', personId)
    .where('claimed_by', '=', claimId)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}
