import type { Kysely } from 'kysely';
import type { ControlTables } from '../../database/tables/tables.ts';
import { bonusEndsFrom } from '../plans/bonus.ts';
import { ATTRIBUTION_BONUS } from '../plans/plans.ts';
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

/** What {@link selectOrganizations} read, with the terms at `now`. */
export function organizationFromRow(row: SelectedOrganization, now: Date): Organization {
  const subscription = subscriptionFromRow(row);
  const terms = effectiveTerms(subscription, bonusEndsFrom(row), now);
  return { id: row.id, name: row.name, email: row.email, createdAt: new Date(row.created_at), subscription, terms };
}
