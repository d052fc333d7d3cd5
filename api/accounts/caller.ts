import { z } from 'zod';
import { timestampFromDate } from '../../runtime/day.ts';
import type { LiveCredential } from './organizations/live-credential.ts';
import { FEATURES, PLAN_NAMES } from './organizations/plans.ts';
import { effectiveTerms, SUBSCRIPTION_STATUSES, type Terms, termsValidUntilMs } from './organizations/terms.ts';

/** Credential of a request, as in the account object (specification "Account object"). */
export const CLIENT_SOURCES = ['api_key', 'mcp_api_key', 'mcp_oauth'] as const;
export type ClientSource = (typeof CLIENT_SOURCES)[number];

/** Who makes a request, and their organization's terms. */
export interface Caller {
  readonly organizationId: string;
  /** Id of the API key or connection. */
  readonly credentialId: string;
  readonly terms: Terms;
  /** Unix milliseconds at which the terms may change; undefined: they hold for the whole request. */
  readonly termsUntilMs?: number;
  readonly clientSource: ClientSource;
}

export function callerFrom(credential: LiveCredential, clientSource: ClientSource, now: Date): Caller {
  return {
    organizationId: credential.organizationId,
    credentialId: credential.credentialId,
    terms: effectiveTerms(credential.subscription, credential.bonusEnds, now),
    termsUntilMs: termsValidUntilMs(credential.subscription, credential.bonusEnds, now),
    clientSource,
  };
}

export function callerThroughMcp(caller: Caller): Caller {
  return { ...caller, clientSource: 'mcp_api_key' };
}

/** {@link callerFrom}, cached until a date in the terms passes. */
export function cachedCallerFrom(clientSource: ClientSource): (credential: LiveCredential, now: Date) => Caller {
  const cached = new WeakMap<LiveCredential, { readonly caller: Caller; readonly fromMs: number }>();
  return (credential, now) => {
    const nowMs = now.getTime();
    const last = cached.get(credential);
    if (last !== undefined && nowMs >= last.fromMs && nowMs < (last.caller.termsUntilMs ?? nowMs)) return last.caller;
    const caller = callerFrom(credential, clientSource, now);
    cached.set(credential, { caller, fromMs: nowMs });
    return caller;
  };
}

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
  .meta({ id: 'AccountPlan', description: 'Terms of the organization' });

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
  .meta({ id: 'AccountUsage', description: 'Quota usage of the day' });

export const AccountSchema = z.strictObject({
  plan: AccountPlanSchema,
  usage: AccountUsageSchema,
  client_source: z.string().describe(`Type of credential: ${CLIENT_SOURCES.join(', ')}; more may be added`),
});
export type Account = z.infer<typeof AccountSchema>;

/** Usage of one day's quota. */
export interface UsageState {
  readonly quotaDay: string;
  readonly used: number;
  /** Including bonus; null is unlimited. */
  readonly limit: number | null;
  /** At least 0; null is unlimited. */
  readonly remaining: number | null;
  /** Unix seconds of the day's end. */
  readonly resetAt: number;
}

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
