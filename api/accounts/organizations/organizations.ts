import { timestampFromDate } from '../../../runtime/day.ts';
import { AppError } from '../../../runtime/errors.ts';
import { newId } from '../../../runtime/ulid.ts';
import type { Database, Transaction } from '../../database/tables/tables.ts';
import { type AuditEntry, type AuditedChanges, type NoteAudit, readAudit } from '../audit.ts';
import { organizationName } from './organization-name.ts';
import { ATTRIBUTION_BONUS } from './plans.ts';
import {
  bonusEndsFrom,
  effectiveTerms,
  NO_BONUS,
  NO_SUBSCRIPTION,
  rowFromSubscription,
  SUBSCRIPTION_COLUMNS,
  type Subscription,
  subscriptionFromRow,
} from './terms.ts';

export interface NewOrganization {
  /** See {@link organizationName}. */
  readonly name: string;
  /** Receives notices; null or absent: none. */
  readonly email?: string | null;
  /** Default: Community. */
  readonly subscription?: Subscription;
  /** The person who creates it; null or absent: an operator. */
  readonly createdBy?: string | null;
}

/** Rejects with `usage` for an invalid name. */
export function createOrganization(requested: NewOrganization, changes: AuditedChanges): Promise<Organization> {
  return changes.change((transaction, note) => insertOrganization(transaction, requested, { changes, note }));
}

/** As part of a change. Rejects with `usage` for an invalid name. */
export async function insertOrganization(
  transaction: Transaction,
  { name: text, email = null, subscription = NO_SUBSCRIPTION, createdBy = null }: NewOrganization,
  { changes, note }: { readonly changes: AuditedChanges; readonly note: NoteAudit },
): Promise<Organization> {
  const name = organizationName(text);
  const [id, now] = [newId('org'), changes.now()];
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

/** Oldest first. */
export async function listOrganizations(changes: AuditedChanges): Promise<readonly Organization[]> {
  const rows = await changes.read((database) => selectOrganizations(database).orderBy('organizations.id').execute());
  return rows.map((row) => organizationFromRow(row, changes.now()));
}

/** Rejects with `not_found`. */
export function getOrganization(id: string, changes: AuditedChanges): Promise<Organization> {
  return changes.read((database) => readOrganization(database, id, changes.now()));
}

/** Changes the address for notices; null: none. */
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

/** Replaces the subscription by the result of `change`, from the next request on. */
export function changePlan(
  organizationId: string,
  change: (before: Subscription) => Subscription,
  changes: AuditedChanges,
): Promise<PlanChange> {
  return changes.change(async (transaction, note) => {
    await lockOrganization(transaction, organizationId);
    const before = await readOrganization(transaction, organizationId, changes.now());
    const requested = change(before.subscription);
    if (subscriptionChanges(before.subscription, requested).length === 0) return { before, after: before };
    const row = rowFromSubscription(organizationId, requested, changes.now());
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

/** Newest first. Rejects with `not_found`. */
export async function listAudit(
  organizationId: string | undefined,
  { limit }: { readonly limit: number },
  changes: AuditedChanges,
): Promise<readonly AuditEntry[]> {
  if (organizationId !== undefined) await getOrganization(organizationId, changes);
  return changes.read((database) => readAudit(database, { organizationId, limit }));
}

/** Locks the row until the transaction ends. Rejects with `not_found`. */
export async function lockOrganization(transaction: Transaction, id: string): Promise<void> {
  const { numUpdatedRows } = await transaction
    .updateTable('organizations')
    .set(({ ref }) => ({ name: ref('name') }))
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) throw noOrganization(id);
}

export async function readOrganization(database: Database, id: string, now: Date): Promise<Organization> {
  const row = await selectOrganizations(database).where('organizations.id', '=', id).executeTakeFirst();
  if (row === undefined) throw noOrganization(id);
  return organizationFromRow(row, now);
}

function noOrganization(id: string): AppError {
  return new AppError('not_found', `there is no organization ${id}`);
}

/** One row per organization, with or without a subscription. */
export function selectOrganizations(database: Database) {
  return database
    .selectFrom('organizations')
    .leftJoin('subscriptions', 'subscriptions.organization_id', 'organizations.id')
    .select(['id', 'name', 'email', 'created_at', ...SUBSCRIPTION_COLUMNS])
    .select(({ selectFrom }) => {
      const endOf = (offset: number) =>
        selectFrom('integrations')
          .select('bonus_until')
          .whereRef('integrations.organization_id', '=', 'organizations.id')
          .where('bonus_until', 'is not', null)
          .orderBy('bonus_until', 'desc')
          .limit(1)
          .offset(offset);
      const last = ATTRIBUTION_BONUS.integrationsMax - 1;
      return [endOf(0).as('bonus_until'), endOf(last).as('second_bonus_until')];
    });
}

type SelectedOrganization = Awaited<ReturnType<ReturnType<typeof selectOrganizations>['executeTakeFirstOrThrow']>>;

export function organizationFromRow(row: SelectedOrganization, now: Date) {
  const subscription = subscriptionFromRow(row);
  const terms = effectiveTerms(subscription, bonusEndsFrom(row), now);
  return {
    id: row.id,
    name: row.name,
    /** Receives notices; null: none. */
    email: row.email,
    createdAt: new Date(row.created_at),
    subscription,
    terms,
  };
}

/** An organization with its subscription and current terms. */
export type Organization = Readonly<ReturnType<typeof organizationFromRow>>;

/** JSON values, for the audit log and `orgs set-plan`. */
export function describeSubscription(subscription: Subscription): Readonly<Record<string, unknown>> {
  const { plan, status, periodEnd, graceUntil, contract } = subscription;
  return {
    plan,
    status,
    period_end: periodEnd === null ? null : timestampFromDate(periodEnd),
    grace_until: graceUntil === null ? null : timestampFromDate(graceUntil),
    ...contract,
  };
}

/** Values are undefined where the contract doesn't set the field. */
export interface SubscriptionChange {
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** The fields that differ. */
export function subscriptionChanges(before: Subscription, after: Subscription): readonly SubscriptionChange[] {
  const [from, to] = [describeSubscription(before), describeSubscription(after)];
  return [...new Set([...Object.keys(from), ...Object.keys(to)])]
    .map((field) => ({ field, from: from[field], to: to[field] }))
    .filter((change) => JSON.stringify(change.from) !== JSON.stringify(change.to));
}
