import { addMonths, type Day } from '../../../runtime/day.ts';

/** What each plan grants (specification "Plans"). Contract overrides are in `terms.ts`. */

export const PLAN_NAMES = ['community', 'builder', 'commercial'] as const;
export type PlanName = (typeof PLAN_NAMES)[number];

/** In the order of the account object. */
export const FEATURES = ['history', 'snapshots', 'incremental', 'webhooks'] as const;
export type Feature = (typeof FEATURES)[number];

export const FEATURE_LABELS: Readonly<Record<Feature, string>> = {
  history: 'history',
  snapshots: 'snapshots',
  incremental: 'the change feed',
  webhooks: 'webhooks',
};

export interface SnapshotAccess {
  /** Number of newest snapshots. */
  readonly newest: number;
  /** Includes month-end snapshots within the history window. */
  readonly monthEnds: boolean;
}

export interface Plan {
  readonly plan: PlanName;
  /** Incremented when the plan changes. */
  readonly planVersion: number;
  readonly displayName: string;
  /** US dollars per month before tax; null: set by contract. */
  readonly pricePerMonthUsd: number | null;
  /** Data responses per organization and UTC day, without bonus; null is unlimited. */
  readonly dailyQuota: number | null;
  /** Requests per organization in any 60 seconds. */
  readonly burstPerMinute: number;
  /** Calendar months of the history window; {@link HISTORY_MONTHS_FULL} is everything. */
  readonly historyMonths: number;
  readonly features: readonly Feature[];
  readonly snapshots: SnapshotAccess;
  readonly attributionRequired: boolean;
  readonly redistributionAllowed: boolean;
  /** Whether verified integrations raise the daily quota. */
  readonly hasAttributionBonus: boolean;
  readonly support: string;
}

/** `history_months` of an unlimited window (specification "Plan window"). */
export const HISTORY_MONTHS_FULL = 1200;

/** Daily quota per verified integration, and how many count (specification "Verified integrations"). */
export const ATTRIBUTION_BONUS = { perIntegration: 250, integrationsMax: 2 } as const;

/**
 * Commercial's values are defaults for contracts: high amounts, but redistribution only if the contract allows it
 * (decision 0022).
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

/** The lowest plan with a feature. */
export function firstPlanWith(feature: Feature): Plan | undefined {
  return PLAN_NAMES.map((name) => PLANS[name]).find(({ features }) => features.includes(feature));
}

/** The first instant of the next UTC month. */
export function monthEnd(now: Date): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));
}

/** Today minus the months, or the last day of a shorter month (specification "Plan window"). Null: unlimited. */
export function planWindowStart(historyMonths: number, today: Day): Day | null {
  return historyMonths >= HISTORY_MONTHS_FULL ? null : addMonths(today, -historyMonths);
}
