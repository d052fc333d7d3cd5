import { z } from 'zod';
import { dateOrNull, type SubscriptionRow } from '../../database/tables/tables.ts';
import {
  ATTRIBUTION_BONUS,
  FEATURES,
  type Feature,
  HISTORY_MONTHS_FULL,
  monthEnd,
  PLAN_NAMES,
  PLANS,
  type Plan,
} from './plans.ts';

/** Overrides of the plan, stored as JSON. */
export const ContractSchema = z.strictObject({
  /** null: unlimited. */
  daily_quota: z.number().int().min(0).max(1_000_000_000).nullable().optional(),
  burst_per_minute: z.number().int().min(1).max(1_000_000).optional(),
  history_months: z.number().int().min(0).max(HISTORY_MONTHS_FULL).optional(),
  features: z.array(z.enum(FEATURES)).optional(),
  /** Number of newest snapshots. */
  snapshots_newest: z.number().int().min(0).max(100_000).optional(),
  snapshots_month_ends: z.boolean().optional(),
  attribution_required: z.boolean().optional(),
  redistribution_allowed: z.boolean().optional(),
});
export type Contract = z.infer<typeof ContractSchema>;

/**
 * Status of a subscription (specification "Plans"):
 * - `active`: as agreed.
 * - `past_due`: a payment is late; the plan applies until the grace date, then Community.
 * - `grace`: limits are not enforced until the grace date, then `active` (specification "Enforcement").
 * - `canceled`: the plan applies until the end of the period, then Community.
 */
export const SUBSCRIPTION_STATUSES = ['active', 'past_due', 'grace', 'canceled'] as const;
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number];

export const SubscriptionSchema = z.strictObject({
  plan: z.enum(PLAN_NAMES),
  status: z.enum(SUBSCRIPTION_STATUSES),
  contract: ContractSchema,
  /** Null: the end of the current UTC month. */
  periodEnd: z.date().nullable(),
  graceUntil: z.date().nullable(),
});
export type Subscription = Readonly<z.infer<typeof SubscriptionSchema>>;

/** Community applies without a subscription (specification "Plans"). */
export const NO_SUBSCRIPTION: Subscription = {
  plan: 'community',
  status: 'active',
  contract: {},
  periodEnd: null,
  graceUntil: null,
};

/** Plan, contract and bonus at `now` (specification "Plans"; specification "Verified integrations"). */
export function effectiveTerms(subscription: Subscription, bonusEnds: BonusEnds, now: Date) {
  const isOver = hasEnded(subscription, now);
  const plan = PLANS[isOver ? 'community' : subscription.plan];
  const contract = isOver ? {} : subscription.contract;
  const dailyQuota = contract.daily_quota === undefined ? plan.dailyQuota : contract.daily_quota;
  return {
    plan: plan.plan,
    planVersion: plan.planVersion,
    displayName: plan.displayName,
    status: statusAt(subscription, now),
    /** Data responses per UTC day without bonus; null is unlimited. */
    dailyQuota,
    /** Including the bonus; null is unlimited. */
    quotaLimit: dailyQuota === null ? null : dailyQuota + attributionBonus(plan, bonusesAt(bonusEnds, now)),
    burstPerMinute: contract.burst_per_minute ?? plan.burstPerMinute,
    historyMonths: contract.history_months ?? plan.historyMonths,
    features: featuresOf(contract, plan),
    snapshots: {
      newest: contract.snapshots_newest ?? plan.snapshots.newest,
      monthEnds: contract.snapshots_month_ends ?? plan.snapshots.monthEnds,
    },
    attributionRequired: contract.attribution_required ?? plan.attributionRequired,
    redistributionAllowed: contract.redistribution_allowed ?? plan.redistributionAllowed,
    periodEnd: (isOver ? null : subscription.periodEnd) ?? monthEnd(now),
    graceUntil: subscription.graceUntil,
  };
}

export type Terms = Readonly<ReturnType<typeof effectiveTerms>>;

/** Unix milliseconds of the next possible change. */
export function termsValidUntilMs({ periodEnd, graceUntil }: Subscription, bonusEnds: BonusEnds, now: Date): number {
  const dates = [monthEnd(now), periodEnd, graceUntil].filter((date) => date !== null && date > now);
  return Math.min(...dates.map(Number), ...bonusEnds.filter((endMs) => endMs > now.getTime()));
}

function hasEnded({ status, periodEnd, graceUntil }: Subscription, now: Date): boolean {
  switch (status) {
    case 'canceled':
      return periodEnd === null || now >= periodEnd;
    case 'past_due':
      return graceUntil !== null && now >= graceUntil;
    case 'active':
    case 'grace':
      return false;
  }
}

function statusAt({ status, graceUntil }: Subscription, now: Date): SubscriptionStatus {
  return status === 'grace' && (graceUntil === null || now >= graceUntil) ? 'active' : status;
}

function attributionBonus(plan: Plan, verifiedIntegrations: number): number {
  const { perIntegration, integrationsMax } = ATTRIBUTION_BONUS;
  return plan.hasAttributionBonus ? perIntegration * Math.min(verifiedIntegrations, integrationsMax) : 0;
}

function featuresOf(contract: Contract, plan: Plan): readonly Feature[] {
  const granted = contract.features ?? plan.features;
  return FEATURES.filter((feature) => granted.includes(feature));
}

/**
 * Whether limits refuse or only measure (specification "Enforcement"). The per-route backstop and the limit before
 * authentication always refuse.
 */
export interface Enforcement {
  readonly mode: 'measure' | 'enforce';
  /** With `enforce`: when it starts; null: always. */
  readonly from: Date | null;
}

export function isEnforced(
  { mode, from }: Enforcement,
  { status, graceUntil }: Pick<Terms, 'status' | 'graceUntil'>,
  now: Date,
): boolean {
  if (mode === 'measure' || (from !== null && now < from)) return false;
  return !(status === 'grace' && graceUntil !== null && now < graceUntil);
}

/** Ends of the bonuses that count, in Unix milliseconds, latest first (specification "Verified integrations"). */
export type BonusEnds = readonly number[];

export const NO_BONUS: BonusEnds = [];

/** The latest valid `Date`, for a bonus without an end. */
export const NO_END_MS = 8_640_000_000_000_000;

function bonusesAt(ends: BonusEnds, now: Date): number {
  return ends.filter((endMs) => endMs > now.getTime()).length;
}

export interface BonusColumns {
  readonly bonus_until: number | null;
  readonly second_bonus_until: number | null;
}

/** SQL columns of {@link BonusColumns}. */
export function bonusColumns(organizationId: string): string {
  const end = (offset: number) => `(
    select i.bonus_until from integrations i where i.organization_id = ${organizationId} and i.bonus_until is not null
    order by i.bonus_until desc limit 1 offset ${offset})`;
  return `${end(0)} as bonus_until, ${end(ATTRIBUTION_BONUS.integrationsMax - 1)} as second_bonus_until`;
}

export function bonusEndsFrom({ bonus_until, second_bonus_until }: BonusColumns): BonusEnds {
  return [bonus_until, second_bonus_until].filter((end) => end !== null);
}

/** Null without a subscription (left join). */
export type SubscriptionColumns = {
  readonly [C in (typeof SUBSCRIPTION_COLUMNS)[number]]: SubscriptionRow[C] | null;
};
export const SUBSCRIPTION_COLUMNS = ['plan', 'status', 'contract', 'period_end', 'grace_until'] as const;

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

/** `NO_SUBSCRIPTION` if the columns are null. */
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
