import { addMonths, type Day } from '../../../runtime/day.ts';

/**
 * What each plan grants (specification "Plans"), as data: the account object, the checks of the API and the documentation derive
 * from this one table. What a contract changes for one organization is in `terms.ts`.
 */

export const PLAN_NAMES = ['community', 'builder', 'commercial'] as const;
export type PlanName = (typeof PLAN_NAMES)[number];

/** What a plan can open beyond current data (specification "Plans"), in the order in which the account object lists it. */
export const FEATURES = ['history', 'snapshots', 'incremental', 'webhooks'] as const;
export type Feature = (typeof FEATURES)[number];

/** What people are told that a feature is. */
export const FEATURE_WORDS: Readonly<Record<Feature, string>> = {
  history: 'history',
  snapshots: 'snapshots',
  incremental: 'the change feed',
  webhooks: 'webhooks',
};

/** Which snapshots an organization sees. */
export interface SnapshotAccess {
  /** So many of the newest ones. */
  readonly newest: number;
  /** Whether the last snapshot of every month within the history window is seen as well. */
  readonly monthEnds: boolean;
}

export interface Plan {
  readonly plan: PlanName;
  /** Goes up by one when what the plan grants changes. */
  readonly planVersion: number;
  readonly displayName: string;
  /** US dollars per month without tax; null where a contract sets it. */
  readonly pricePerMonthUsd: number | null;
  /** Data responses per organization and UTC day, without bonus; null is unlimited. */
  readonly dailyQuota: number | null;
  /** Requests per organization in any 60 seconds. */
  readonly burstPerMinute: number;
  /** Calendar months that the history window reaches back; {@link HISTORY_MONTHS_FULL} is everything. */
  readonly historyMonths: number;
  readonly features: readonly Feature[];
  readonly snapshots: SnapshotAccess;
  readonly attributionRequired: boolean;
  readonly redistributionAllowed: boolean;
  /** Whether verified integrations raise the daily quota. */
  readonly hasAttributionBonus: boolean;
  readonly support: string;
}

/** `history_months` of a window that reaches back to the first day (specification "Plan window"). */
export const HISTORY_MONTHS_FULL = 1200;

/** What one verified integration adds to the daily quota, and how many count (specification "Verified integrations"). */
export const ATTRIBUTION_BONUS = { perIntegration: 250, integrationsMax: 2 } as const;

/**
 * What each plan grants. Commercial's values hold where the contract says nothing: amounts are wide, and redistribution is
 * allowed only by a contract that says so (decision 0022).
 */
export const PLANS: Readonly<Record<PlanName, Plan>> = {
  community: {
    plan: 'community',
    planVersion: 1,
    displayName: 'Community',
    pricePerMonthUsd: 0,
    dailyQuota: 500,
    burstPerMinute: 60,
    historyMonths: 6,
    features: ['history'],
    snapshots: { newest: 0, monthEnds: false },
    attributionRequired: true,
    redistributionAllowed: false,
    hasAttributionBonus: true,
    support: 'community',
  },
  builder: {
    plan: 'builder',
    planVersion: 1,
    displayName: 'Builder',
    pricePerMonthUsd: 99,
    dailyQuota: 5000,
    burstPerMinute: 300,
    historyMonths: 12,
    features: ['history', 'snapshots', 'incremental'],
    snapshots: { newest: 1, monthEnds: false },
    attributionRequired: false,
    redistributionAllowed: false,
    hasAttributionBonus: true,
    support: 'e-mail',
  },
  commercial: {
    plan: 'commercial',
    planVersion: 1,
    displayName: 'Commercial',
    pricePerMonthUsd: null,
    dailyQuota: null,
    burstPerMinute: 600,
    historyMonths: HISTORY_MONTHS_FULL,
    features: ['history', 'snapshots', 'incremental', 'webhooks'],
    snapshots: { newest: 90, monthEnds: true },
    attributionRequired: false,
    redistributionAllowed: false,
    hasAttributionBonus: false,
    support: 'contractual',
  },
};

/** The least plan that has a feature. */
export function firstPlanWith(feature: Feature): Plan | undefined {
  return PLAN_NAMES.map((name) => PLANS[name]).find(({ features }) => features.includes(feature));
}

/** The instant at which the UTC month of `now` ends, which is the first of the next one. */
export function monthEnd(now: Date): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));
}

/**
 * The oldest day that may be queried: today minus so many calendar months, or the last day of a month that is too short
 * (specification "Plan window"). Null where the window reaches back to the first day.
 */
export function planWindowStart(historyMonths: number, today: Day): Day | null {
  return historyMonths >= HISTORY_MONTHS_FULL ? null : addMonths(today, -historyMonths);
}
