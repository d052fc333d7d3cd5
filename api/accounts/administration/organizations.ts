import type { Kysely, Transaction } from 'kysely';
import { AppError } from '../../../runtime/errors.ts';
import type { ControlTables } from '../../database/tables/tables.ts';
import type { AuditedChanges, NoteAudit } from '../audit/audited-changes.ts';
import { NO_BONUS } from '../plans/bonus.ts';
import { rowFromSubscription } from '../plans/subscription-row.ts';
import { effectiveTerms, type Subscription } from '../plans/terms.ts';
import { type Organization, organizationFromRow, selectOrganizations } from './organization.ts';
import { organizationName } from './organization-name.ts';
import { describeSubscription, subscriptionChanges } from './subscription-changes.ts';

/** What a new organization is. */
export interface NewOrganization {
  /** As {@link organizationName} takes it. */
  readonly name: string;
  /** Where it is told what concerns it; null: nowhere. */
  readonly email: string | null;
  readonly subscription: Subscription;
  /** The person who makes it for itself; null: an operator. */
  readonly createdBy: string | null;
}

/** @param email where it is told what concerns it; null: nowhere */
export function createOrganization(
  { name, email }: { readonly name: string; readonly email: string | null },
  subscription: Subscription,
  changes: AuditedChanges,
): Promise<Organization> {
  const made = { name, email, subscription, createdBy: null };
  return changes.change((transaction, note) => insertOrganization(transaction, made, { changes, note }));
}

/** Makes an organization and notes it, as a part of a change. Rejects with `usage` where it can't be called so. */
export async function insertOrganization(
  transaction: Transaction<ControlTables>,
  { name: text, email, subscription, createdBy }: NewOrganization,
  { changes, note }: { readonly changes: AuditedChanges; readonly note: NoteAudit },
): Promise<Organization> {
  const name = organizationName(text);
  const [id, now] = [changes.newId('org'), changes.now()];
  const organization = { id, name, created_at: now.getTime(), email, created_by: createdBy };
  await transaction.insertInto('organizations').values(organization).execute();
  await transaction
    .insertInto('subscriptions')
    .values(rowFromSubscription(id, subscription, now))
    .execute();
  const details = { name, email, ...describeSubscription(subscription) };
  await note({ organizationId: id, action: 'organization.create', subjectId: id, details });
  return { id, name, email, createdAt: now, subscription, terms: effectiveTerms(subscription, NO_BONUS, now) };
}

/** All organizations, oldest first. */
export async function listOrganizations(changes: AuditedChanges): Promise<readonly Organization[]> {
  const rows = await changes.read((database) => selectOrganizations(database).orderBy('organizations.id').execute());
  return rows.map((row) => organizationFromRow(row, changes.now()));
}

/** Rejects with `not_found`. */
export function getOrganization(id: string, changes: AuditedChanges): Promise<Organization> {
  return changes.read((database) => readOrganization(database, id, changes.now()));
}

/** Changes where an organization is told what concerns it; null: nowhere. */
export function setEmail(organizationId: string, email: string | null, changes: AuditedChanges): Promise<Organization> {
  return changes.change(async (transaction, note) => {
    await lockOrganization(transaction, organizationId);
    const { email: from } = await readOrganization(transaction, organizationId, changes.now());
    await transaction.updateTable('organizations').set({ email }).where('id', '=', organizationId).execute();
    const details = { from, to: email };
    await note({ organizationId, subjectId: organizationId, action: 'organization.set_email', details });
    return readOrganization(transaction, organizationId, changes.now());
  });
}

export interface PlanChange {
  readonly before: Organization;
  readonly after: Organization;
}

/** Replaces the subscription by what `change` makes of it; in force from the next request on. */
export function changePlan(
  organizationId: string,
  change: (before: Subscription) => Subscription,
  changes: AuditedChanges,
): Promise<PlanChange> {
  return changes.change(async (transaction, note) => {
    await lockOrganization(transaction, organizationId);
    const before = await readOrganization(transaction, organizationId, changes.now());
    const wanted = change(before.subscription);
    if (subscriptionChanges(before.subscription, wanted).length === 0) return { before, after: before };
    const row = rowFromSubscription(organizationId, wanted, changes.now());
    await transaction
      .insertInto('subscriptions')
      .values(row)
      .onConflict((conflict) => conflict.column('organization_id').doUpdateSet(row))
      .execute();
    const after = await readOrganization(transaction, organizationId, changes.now());
    const details = { from: describeSubscription(before.subscription), to: describeSubscription(after.subscription) };
    await note({ organizationId, subjectId: organizationId, action: 'organization.set_plan', details });
    return { before, after };
  });
}

/**
 * Writes nothing new, but keeps others from changing the organization until the transaction ends. Rejects with `not_found`.
 */
export async function lockOrganization(transaction: Transaction<ControlTables>, id: string): Promise<void> {
  const { numUpdatedRows } = await transaction
    .updateTable('organizations')
    .set(({ ref }) => ({ name: ref('name') }))
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) throw noOrganization(id);
}

export async function readOrganization(database: Kysely<ControlTables>, id: string, now: Date): Promise<Organization> {
  const row = await selectOrganizations(database).where('organizations.id', '=', id).executeTakeFirst();
  if (row === undefined) throw noOrganization(id);
  return organizationFromRow(row, now);
}

function noOrganization(id: string): AppError {
  return new AppError('not_found', `there is no organization ${id}`);
}
