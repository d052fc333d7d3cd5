import type { Kysely } from 'kysely';
import { PLANS } from '../../schemas/plans.ts';
import { effectiveTerms, type Subscription, type Terms } from '../../schemas/terms.ts';
import { subscriptionFromRow } from '../database/key-query.ts';
import type { ControlTables, SubscriptionRow } from '../database/tables.ts';

/** An organization with what it has agreed and what that grants now. */
export interface Organization {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly subscription: Subscription;
  readonly terms: Terms;
}

/** A subscription as it is stored. */
export function subscriptionRow(organizationId: string, subscription: Subscription, now: Date): SubscriptionRow {
  return {
    organization_id: organizationId,
    plan: subscription.plan,
    plan_version: PLANS[subscription.plan].planVersion,
    status: subscription.status,
    contract: JSON.stringify(subscription.contract),
    period_end: subscription.periodEnd?.getTime() ?? null,
    grace_until: subscription.graceUntil?.getTime() ?? null,
    changed_at: now.getTime(),
  };
}

/** One row per organization, with its subscription's columns, null where it has none. */
export function selectOrganizations(database: Kysely<ControlTables>) {
  return database
    .selectFrom('organizations')
    .leftJoin('subscriptions', 'subscriptions.organization_id', 'organizations.id')
    .select(['id', 'name', 'created_at', 'plan', 'status', 'contract', 'period_end', 'grace_until'])
    .select(({ selectFrom, fn }) =>
      selectFrom('verified_integrations')
        .whereRef('verified_integrations.organization_id', '=', 'organizations.id')
        .where('ended_at', 'is', null)
        .select(fn.countAll<number>().as('count'))
        .as('integrations'),
    );
}

type OrganizationRowRead = Awaited<ReturnType<ReturnType<typeof selectOrganizations>['executeTakeFirstOrThrow']>>;

/** What {@link selectOrganizations} read, with the terms at `now`. */
export function organizationFromRow(row: OrganizationRowRead, now: Date): Organization {
  const subscription = subscriptionFromRow(row);
  const terms = effectiveTerms(subscription, row.integrations ?? 0, now);
  return { id: row.id, name: row.name, createdAt: new Date(row.created_at), subscription, terms };
}
