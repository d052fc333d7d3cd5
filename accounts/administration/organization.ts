import type { Kysely, Transaction } from 'kysely';
import type { ControlTables } from '../../database/tables.ts';
import { AppError } from '../../schemas/errors.ts';
import { SUBSCRIPTION_COLUMNS, subscriptionFromRow } from '../plans/subscription-row.ts';
import { effectiveTerms, type Subscription, type Terms } from '../plans/terms.ts';

/** An organization with what it has agreed and what that grants now. */
export interface Organization {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly subscription: Subscription;
  readonly terms: Terms;
}

/** One row per organization, with its subscription's columns, null where it has none. */
export function selectOrganizations(database: Kysely<ControlTables>) {
  return database
    .selectFrom('organizations')
    .leftJoin('subscriptions', 'subscriptions.organization_id', 'organizations.id')
    .select(['id', 'name', 'created_at', ...SUBSCRIPTION_COLUMNS])
    .select(({ selectFrom, fn }) =>
      selectFrom('verified_integrations')
        .whereRef('verified_integrations.organization_id', '=', 'organizations.id')
        .where('ended_at', 'is', null)
        .select(fn.countAll<number>().as('count'))
        .as('integrations'),
    );
}

type SelectedOrganization = Awaited<ReturnType<ReturnType<typeof selectOrganizations>['executeTakeFirstOrThrow']>>;

/** What {@link selectOrganizations} read, with the terms at `now`. */
export function organizationFromRow(row: SelectedOrganization, now: Date): Organization {
  const subscription = subscriptionFromRow(row);
  const terms = effectiveTerms(subscription, row.integrations ?? 0, now);
  return { id: row.id, name: row.name, createdAt: new Date(row.created_at), subscription, terms };
}

/** The organization, with the terms at `now`; rejects with `not_found`. */
export async function getOrganization(database: Kysely<ControlTables>, id: string, now: Date): Promise<Organization> {
  const row = await selectOrganizations(database).where('organizations.id', '=', id).executeTakeFirst();
  if (row === undefined) throw noOrganization(id);
  return organizationFromRow(row, now);
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

function noOrganization(id: string): AppError {
  return new AppError('not_found', `there is no organization ${id}`);
}
