import { z } from 'zod';
import { timestampFromDate } from '../../runtime/day.ts';
import { CLIENT_SOURCES, type ClientSource } from './caller.ts';
import { FEATURES, PLAN_NAMES } from './plans/plans.ts';
import { SUBSCRIPTION_STATUSES, type Terms } from './plans/terms.ts';

const AccountPlanSchema = z
  .strictObject({
    plan: z.enum(PLAN_NAMES),
    plan_version: z.number().int(),
    display_name: z.string(),
    status: z.enum(SUBSCRIPTION_STATUSES),
    daily_quota: z.number().int().nullable().describe('Without bonus; null when unlimited'),
    burst_per_minute: z.number().int(),
    history_months: z.number().int(),
    features: z.array(z.enum(FEATURES)),
    attribution_required: z.boolean(),
    redistribution_allowed: z.boolean(),
    period_end: z.iso.datetime(),
  })
  .meta({ id: 'AccountPlan', description: 'What the organization may do' });

const AccountUsageSchema = z
  .strictObject({
    quota_day: z.iso.date(),
    used: z.number().int(),
    limit: z.number().int().nullable().describe('With bonus; null when unlimited'),
    remaining: z.number().int().nullable(),
    reset_at: z
      .number()
      .int()
      .describe('Unix seconds of the next 00:00:00 UTC; in an error it is text, an ISO 8601 date-time'),
    burst_limit: z.number().int(),
  })
  .meta({ id: 'AccountUsage', description: 'What is used of the day' });

/** The account object of `GET /v1/account` (specification "Account object"). */
export const AccountSchema = z.strictObject({
  plan: AccountPlanSchema,
  usage: AccountUsageSchema,
  client_source: z
    .string()
    .describe(`With which credential the request came: ${CLIENT_SOURCES.join(', ')}, or another in time`),
});
export type Account = z.infer<typeof AccountSchema>;

/** How much of a day's quota is used. */
export interface UsageState {
  readonly quotaDay: string;
  readonly used: number;
  /** With bonus; null is unlimited. */
  readonly limit: number | null;
  /** Never below 0; null is unlimited. */
  readonly remaining: number | null;
  /** Unix seconds of the end of that day. */
  readonly resetAt: number;
}

/** The account object for an organization's terms and usage. */
export function accountFrom(terms: Terms, usage: UsageState, clientSource: ClientSource): Account {
  return {
    plan: {
      plan: terms.plan,
      plan_version: terms.planVersion,
      display_name: terms.displayName,
      status: terms.status,
      daily_quota: terms.dailyQuota,
      burst_per_minute: terms.burstPerMinute,
      history_months: terms.historyMonths,
      features: [...terms.features],
      attribution_required: terms.attributionRequired,
      redistribution_allowed: terms.redistributionAllowed,
      period_end: timestampFromDate(terms.periodEnd),
    },
    usage: {
      quota_day: usage.quotaDay,
      used: usage.used,
      limit: usage.limit,
      remaining: usage.remaining,
      reset_at: usage.resetAt,
      burst_limit: terms.burstPerMinute,
    },
    client_source: clientSource,
  };
}
