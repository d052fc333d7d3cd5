import type { BurstState } from '../../accounts/burst/rate-limiter.ts';
import type { PlanName } from '../../accounts/plans/plans.ts';

/** Where a caller stands after a request (specification "Limit headers"). */
export interface Standing {
  readonly plan: PlanName;
  readonly burst: BurstState;
  readonly quota: QuotaStanding;
}

/** The day's quota, without the counts where they can't be told just now. */
export interface QuotaStanding {
  /** null: unlimited. */
  readonly limit: number | null;
  readonly used?: number;
  readonly remaining?: number | null;
  /** Unix seconds. */
  readonly resetAt: number;
}

/** The headers of every authenticated answer, errors included. */
export function limitHeaders({ plan, burst, quota }: Standing): Record<string, string> {
  return {
    'X-RateLimit-Limit': String(burst.limit),
    'X-RateLimit-Remaining': String(burst.remaining),
    'X-RateLimit-Reset': String(burst.resetAt),
    'X-Quota-Limit': amount(quota.limit),
    ...(quota.used === undefined ? {} : { 'X-Quota-Used': String(quota.used) }),
    ...(quota.remaining === undefined ? {} : { 'X-Quota-Remaining': amount(quota.remaining) }),
    'X-Quota-Reset': String(quota.resetAt),
    'X-Service-Plan': plan,
  };
}

function amount(value: number | null): string {
  return value === null ? 'unlimited' : String(value);
}
