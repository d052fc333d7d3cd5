import { dateOrNull, type SubscriptionRow } from '../../database/tables/tables.ts';
import { PLANS } from './plans.ts';
import { NO_SUBSCRIPTION, type Subscription, SubscriptionSchema } from './terms.ts';

/** The columns that say what was agreed; all null where an organization has no subscription (a left join). */
export type SubscriptionColumns = {
  readonly [C in (typeof SUBSCRIPTION_COLUMNS)[number]]: SubscriptionRow[C] | null;
};
export const SUBSCRIPTION_COLUMNS = ['plan', 'status', 'contract', 'period_end', 'grace_until'] as const;

/** A subscription as it is stored. */
export function rowFromSubscription(organizationId: string, subscription: Subscription, now: Date): SubscriptionRow {
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

/** A subscription from its columns; `NO_SUBSCRIPTION` where they are null. */
export function subscriptionFromRow(row: SubscriptionColumns): Subscription {
  if (row.plan === null) return NO_SUBSCRIPTION;
  return SubscriptionSchema.parse({
    plan: row.plan,
    status: row.status,
    contract: JSON.parse(row.contract ?? '{}'),
    periodEnd: dateOrNull(row.period_end),
    graceUntil: dateOrNull(row.grace_until),
  });
}
