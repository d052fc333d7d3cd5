import { NO_SUBSCRIPTION, type Subscription, SubscriptionSchema } from '../../schemas/terms.ts';
import type { KeyRecord } from './control-database.ts';

/** One row per live key that the condition selects; its one parameter is what to look for. */
export function keyQuery(condition: string): string {
  return `
    select k.id, k.organization_id, s.plan, s.status, s.contract, s.period_end, s.grace_until,
      (select count(*) from verified_integrations v where v.organization_id = k.organization_id and v.ended_at is null)
        as integrations
    from api_keys k left join subscriptions s on s.organization_id = k.organization_id
    where ${condition} and k.revoked_at is null`;
}

/** What {@link keyQuery} gives. */
export interface KeyRow {
  readonly id: string;
  readonly organization_id: string;
  readonly plan: string | null;
  readonly status: string | null;
  readonly contract: string | null;
  readonly period_end: number | null;
  readonly grace_until: number | null;
  readonly integrations: number;
}

export function keyRecordFromRow(row: KeyRow): KeyRecord {
  return {
    apiKeyId: row.id,
    organizationId: row.organization_id,
    subscription: subscriptionFromRow(row),
    verifiedIntegrations: row.integrations,
  };
}

/** A subscription from its columns; all null where an organization has none. */
export function subscriptionFromRow(row: Omit<KeyRow, 'id' | 'organization_id' | 'integrations'>): Subscription {
  if (row.plan === null) return NO_SUBSCRIPTION;
  return SubscriptionSchema.parse({
    plan: row.plan,
    status: row.status,
    contract: JSON.parse(row.contract ?? '{}'),
    periodEnd: dateFrom(row.period_end),
    graceUntil: dateFrom(row.grace_until),
  });
}

function dateFrom(milliseconds: number | null): Date | null {
  return milliseconds === null ? null : new Date(milliseconds);
}
