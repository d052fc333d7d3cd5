import { setTimeout as wait } from 'node:timers/promises';
import { isAppError } from '../../runtime/errors.ts';
import { newId } from '../../runtime/ulid.ts';
import type { AuditAction, AuditedChanges } from '../accounts/audit.ts';
import type { Database, IntegrationRow, Transaction } from '../database/tables/tables.ts';
import { type Claim, freeSite } from './claims.ts';
import type { Evidence, IntegrationState } from './integration.ts';
import { afterCheck, nextCheckAt, type Outcome } from './life.ts';
import { columnsOf, holdSite, standingFrom } from './sites.ts';

/** What an owner is told by mail. */
export const NOTICES = ['at_risk', 'lapsed'] as const satisfies readonly IntegrationState[];

/** Before what was found is written again where the control database had no room: whoever else writes takes milliseconds. */
const PAUSES_MS = [50, 200, 500, 1_000];
/** Characters of what a check tells that are kept. */
const TEXT_MAX = 500;

export interface Settled {
  readonly before: IntegrationState;
  readonly after: IntegrationState;
}

/**
 * Writes what a check found, what it makes of the integration, who holds the site then, and the line of the audit log, all or nothing.
 * Undefined, and nothing written, where the claim had ended and another check has begun, or the integration was removed meanwhile. A
 * control database that is busy is tried again.
 */
export async function recordCheck(
  changes: AuditedChanges,
  claim: Claim,
  evidence: Evidence,
): Promise<Settled | undefined> {
  for (const pauseMs of PAUSES_MS) {
    try {
      return await recordOnce(changes, claim, evidence);
    } catch (error) {
      if (!isAppError(error, 'unavailable')) throw error;
      await wait(pauseMs);
    }
  }
  return recordOnce(changes, claim, evidence);
}

function recordOnce(
  changes: AuditedChanges,
  { id: claimId, integration: { id, domain }, isAsked }: Claim,
  evidence: Evidence,
): Promise<Settled | undefined> {
  const now = changes.now();
  return changes.change(async (transaction, note) => {
    if (!(await freeSite(transaction, { domain, claimId }))) return undefined;
    const row = await readIntegration(transaction, id);
    if (row.state === 'removed') return undefined;
    const outcome = await outcomeOf(transaction, row, evidence);
    const before = standingFrom(row);
    const standing = afterCheck(before, outcome, now);
    const problem = problemFrom(outcome, { message: evidence.message, domain });
    const after: IntegrationRow = {
      ...row,
      ...columnsOf(standing),
      checked_at: now.getTime(),
      reason: evidence.reason,
      problem,
      due_at: nextCheckAt(id, standing, now),
      notice: standing.state === before.state ? row.notice : noticeOf(standing.state),
    };
    await transaction.updateTable('integrations').set(after).where('id', '=', id).execute();
    await keepCheck(transaction, { evidence, after, checkId: newId('chk'), isAsked, now });
    await holdSite(transaction, after);
    const action = actionOf(before.state, standing.state);
    if (action !== undefined) {
      const details = { url: row.url, was: before.state, reason: evidence.reason, problem };
      await note({ organizationId: row.organization_id, action, subjectId: id, details });
    }
    return { before: before.state, after: standing.state };
  });
}

/** Gives a check back that could not be done for a reason of ours: it is due again at `dueAt`, unless it was asked for. */
export async function putOff(
  database: Database,
  { id: claimId, integration, isAsked }: Claim,
  dueAt: Date,
): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    if (!(await freeSite(transaction, { domain: integration.domain, claimId })) || isAsked) return;
    await transaction
      .updateTable('integrations')
      .set({ due_at: dueAt.getTime() })
      .where('id', '=', integration.id)
      .where('due_at', 'is not', null)
      .execute();
  });
}

async function readIntegration(transaction: Transaction, id: string): Promise<IntegrationRow> {
  return transaction.selectFrom('integrations').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}

/** Whose site it is, is known for certain: the transaction has locked it. */
async function outcomeOf(
  transaction: Transaction,
  { domain, organization_id }: IntegrationRow,
  { reason }: Evidence,
): Promise<Outcome> {
  if (reason !== 'FOUND') return 'failed';
  const site = await transaction
    .selectFrom('integration_sites')
    .select('organization_id')
    .where('domain', '=', domain)
    .executeTakeFirstOrThrow();
  return site.organization_id === null || site.organization_id === organization_id ? 'found' : 'taken';
}

/** Who holds the site is not for others to know. */
function problemFrom(
  outcome: Outcome,
  { message, domain }: { readonly message: string; readonly domain: string },
): string | null {
  switch (outcome) {
    case 'found':
      return null;
    case 'failed':
      return message.slice(0, TEXT_MAX);
    case 'taken':
      return `the link was found, but ${domain} is taken: another organization shows its source there`;
  }
}

function noticeOf(state: IntegrationState): string | null {
  return NOTICES.find((notice) => notice === state) ?? null;
}

async function keepCheck(
  transaction: Transaction,
  {
    evidence,
    after,
    checkId,
    isAsked,
    now,
  }: {
    readonly evidence: Evidence;
    readonly after: IntegrationRow;
    readonly checkId: string;
    readonly isAsked: boolean;
    readonly now: Date;
  },
): Promise<void> {
  const { reason, message, status, finalUrl, found, durationMs } = evidence;
  await transaction
    .insertInto('integration_checks')
    .values({
      id: checkId,
      integration_id: after.id,
      checked_at: now.getTime(),
      duration_ms: Math.round(durationMs),
      asked: isAsked ? 1 : 0,
      reason,
      message: message.slice(0, TEXT_MAX),
      status,
      final_url: finalUrl,
      found_kind: found?.kind ?? null,
      found_href: found?.href.slice(0, TEXT_MAX) ?? null,
      found_text: found?.text.slice(0, TEXT_MAX) ?? null,
      state: after.state,
    })
    .execute();
}

function actionOf(before: IntegrationState, after: IntegrationState): AuditAction | undefined {
  if (before === after) return undefined;
  switch (after) {
    case 'verified':
      return 'integration.verify';
    case 'at_risk':
      return 'integration.put_at_risk';
    case 'lapsed':
      return 'integration.lapse';
    case 'rejected':
      return 'integration.reject';
    case 'pending':
    case 'removed':
      return undefined;
  }
}
