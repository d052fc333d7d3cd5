import { setTimeout as wait } from 'node:timers/promises';
import { isAppError } from '../../runtime/errors.ts';
import { newId } from '../../runtime/ulid.ts';
import type { AuditAction, AuditedChanges } from '../accounts/audit.ts';
import type { Database, IntegrationRow, Transaction } from '../database/tables/tables.ts';
import { type Claim, freeSite } from './claims.ts';
import type { Evidence, IntegrationState } from './integration.ts';
import { afterCheck, nextCheckAt, type Outcome } from './lifecycle.ts';
import { columnsOf, holdSite, lifecycleFrom } from './sites.ts';

/** States that owners are notified of by email. */
export const NOTICES = ['at_risk', 'lapsed'] as const satisfies readonly IntegrationState[];

/** Retry delays while the control database is busy. */
const PAUSES_MS = [50, 200, 500, 1_000];
/** Stored characters of messages. */
const TEXT_MAX = 500;

export interface Settled {
  readonly before: IntegrationState;
  readonly after: IntegrationState;
}

/**
 * Records the check, the new state, the site's holder and the audit entry, all or nothing. Undefined, with nothing
 * recorded, if the claim was lost or the integration removed. Retried while the database is busy.
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
  { id: claimId, integration: { id, domain }, isRequested }: Claim,
  evidence: Evidence,
): Promise<Settled | undefined> {
  const now = changes.now();
  return changes.change(async (transaction, note) => {
    if (!(await freeSite(transaction, { domain, claimId }))) return undefined;
    const row = await readIntegration(transaction, id);
    if (row.state === 'removed') return undefined;
    const outcome = await outcomeOf(transaction, row, evidence);
    const before = lifecycleFrom(row);
    const lifecycle = afterCheck(before, outcome, now);
    const problem = problemFrom(outcome, { message: evidence.message, domain });
    const after: IntegrationRow = {
      ...row,
      ...columnsOf(lifecycle),
      checked_at: now.getTime(),
      reason: evidence.reason,
      problem,
      due_at: nextCheckAt(id, lifecycle, now),
      notice: lifecycle.state === before.state ? row.notice : noticeOf(lifecycle.state),
    };
    await transaction.updateTable('integrations').set(after).where('id', '=', id).execute();
    await insertCheck(transaction, { evidence, after, checkId: newId('chk'), isRequested, now });
    await holdSite(transaction, after);
    const action = actionOf(before.state, lifecycle.state);
    if (action !== undefined) {
      const details = { url: row.url, was: before.state, reason: evidence.reason, problem };
      await note({ organizationId: row.organization_id, action, subjectId: id, details });
    }
    return { before: before.state, after: lifecycle.state };
  });
}

/** For a check that failed because of us; a requested one isn't repeated. */
export async function putOff(
  database: Database,
  { id: claimId, integration, isRequested }: Claim,
  dueAt: Date,
): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    if (!(await freeSite(transaction, { domain: integration.domain, claimId })) || isRequested) return;
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

/** Requires the site's lock. */
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

/** Doesn't reveal who holds the site. */
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
      return `the link was found, but another organization already has an integration on ${domain}`;
  }
}

function noticeOf(state: IntegrationState): string | null {
  return NOTICES.find((notice) => notice === state) ?? null;
}

async function insertCheck(
  transaction: Transaction,
  {
    evidence,
    after,
    checkId,
    isRequested,
    now,
  }: {
    readonly evidence: Evidence;
    readonly after: IntegrationRow;
    readonly checkId: string;
    readonly isRequested: boolean;
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
      asked: isRequested ? 1 : 0,
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
