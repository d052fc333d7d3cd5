import type { Kysely } from 'kysely';
import type { ControlTables } from '../../database/tables.ts';
import { SUBSCRIPTION_COLUMNS, subscriptionFromRow } from '../plans/subscription-row.ts';
import { effectiveTerms, type Subscription, type Terms } from '../plans/terms.ts';

/** An organization with what it has agreed and what that grants now. */
export interface Organization {
  readonly id: string;
  readonly name: string;
  /** Where it is told what concerns it; null: nowhere. */
  readonly email: string | null;
  readonly createdAt: Date;
  readonly subscription: Subscription;
  readonly terms: Terms;
}

/** One row per organization, with its subscription's columns, null where it has none. */
export function selectOrganizations(database: Kysely<ControlTables>) {
  return database
    .selectFrom('organizations')
    .leftJoin('subscriptions', 'subscriptions.organization_id', 'organizations.id')
    .select(['id', 'name', 'email', 'created_at', ...SUBSCRIPTION_COLUMNS])
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
  return { id: row.id, name: row.name, email: row.email, createdAt: new Date(row.created_at), subscription, terms };
}
