import { timestampFromDate } from '../../../runtime/day.ts';
import type { Subscription } from '../plans/terms.ts';

/** What was agreed, flat and in JSON's values, as the audit log keeps it and `orgs set-plan` compares it. */
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

/** What one field was and is; undefined where the contract says nothing about it. */
export interface SubscriptionChange {
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** The fields that differ, in the order of the description. */
export function subscriptionChanges(before: Subscription, after: Subscription): readonly SubscriptionChange[] {
  const [from, to] = [describeSubscription(before), describeSubscription(after)];
  return [...new Set([...Object.keys(from), ...Object.keys(to)])]
    .map((field) => ({ field, from: from[field], to: to[field] }))
    .filter((change) => JSON.stringify(change.from) !== JSON.stringify(change.to));
}
