import { z } from 'zod';
import { type BonusEnds, bonusesAt } from './bonus.ts';
import { monthEnd } from './periods.ts';
import {
  ATTRIBUTION_BONUS,
  FEATURES,
  type Feature,
  HISTORY_MONTHS_FULL,
  PLAN_NAMES,
  PLANS,
  type Plan,
  type PlanName,
  type SnapshotAccess,
} from './plans.ts';

/** What a contract changes of a plan; the plan's own value holds for what is absent. Kept as JSON in the control database. */
export const ContractSchema = z.strictObject({
  /** null: unlimited. */
  daily_quota: z.number().int().min(0).max(1_000_000_000).nullable().optional(),
  burst_per_minute: z.number().int().min(1).max(1_000_000).optional(),
  history_months: z.number().int().min(0).max(HISTORY_MONTHS_FULL).optional(),
  features: z.array(z.enum(FEATURES)).optional(),
  /** Of the newest snapshots, how many the organization sees. */
  snapshots_newest: z.number().int().min(0).max(100_000).optional(),
  snapshots_month_ends: z.boolean().optional(),
  attribution_required: z.boolean().optional(),
  redistribution_allowed: z.boolean().optional(),
});
export type Contract = z.infer<typeof ContractSchema>;

/**
 * How a subscription stands (specification "Plans"):
 * - `active`: as agreed.
 * - `past_due`: a payment is late; the plan holds until the grace date, then Community's terms.
 * - `grace`: limits are not enforced until the grace date, then the status is `active` (specification "Enforcement").
 * - `canceled`: the plan holds until the end of the period, then Community's terms.
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

/** Organizations without a subscription are on Community (specification "Plans"). */
export const NO_SUBSCRIPTION: Subscription = {
  plan: 'community',
  status: 'active',
  contract: {},
  periodEnd: null,
  graceUntil: null,
};

/** What an organization may do at an instant: its plan, its contract and its bonus in one. */
export interface Terms {
  readonly plan: PlanName;
  readonly planVersion: number;
  readonly displayName: string;
  readonly status: SubscriptionStatus;
  /** Data responses per UTC day without bonus; null is unlimited. */
  readonly dailyQuota: number | null;
  /** With the bonus of verified integrations; null is unlimited. */
  readonly quotaLimit: number | null;
  readonly burstPerMinute: number;
  readonly historyMonths: number;
  readonly features: readonly Feature[];
  readonly snapshots: SnapshotAccess;
  readonly attributionRequired: boolean;
  readonly redistributionAllowed: boolean;
  readonly periodEnd: Date;
  readonly graceUntil: Date | null;
}

/**
 * The terms in force at `now` for a subscription and the bonuses of verified integrations (specification "Plans";
 * specification "Verified integrations").
 */
export function effectiveTerms(subscription: Subscription, bonusEnds: BonusEnds, now: Date): Terms {
  const isOver = hasEnded(subscription, now);
  const plan = PLANS[isOver ? 'community' : subscription.plan];
  const contract = isOver ? {} : subscription.contract;
  const dailyQuota = contract.daily_quota === undefined ? plan.dailyQuota : contract.daily_quota;
  return {
    plan: plan.plan,
    planVersion: plan.planVersion,
    displayName: plan.displayName,
    status: statusAt(subscription, now),
    dailyQuota,
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

/** The next instant, in Unix milliseconds, at which the terms in force at `now` may become others though nobody changes them. */
export function termsHoldUntilMs({ periodEnd, graceUntil }: Subscription, bonusEnds: BonusEnds, now: Date): number {
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
