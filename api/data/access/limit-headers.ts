import type { BurstState } from '../../accounts/burst/rate-limiter.ts';
import type { PlanName } from '../../accounts/plans/plans.ts';
import type { ResponseHeaders } from '../../server/response-headers.ts';

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

/** The headers of every authenticated answer, errors included, behind those that the answer has already. */
export function limitHeaders({ plan, burst, quota }: Standing, before: ResponseHeaders): ResponseHeaders {
  const { limit, used, remaining, resetAt } = quota;
  const headers: Record<string, string> = { ...before };
  headers['X-RateLimit-Limit'] = String(burst.limit);
  headers['X-RateLimit-Remaining'] = String(burst.remaining);
  headers['X-RateLimit-Reset'] = String(burst.resetAt);
  headers['X-Quota-Limit'] = amount(limit);
  if (used !== undefined) headers['X-Quota-Used'] = String(used);
  if (remaining !== undefined) headers['X-Quota-Remaining'] = amount(remaining);
  headers['X-Quota-Reset'] = String(resetAt);
  headers['X-Service-Plan'] = plan;
  return headers;
}

function amount(value: number | null): string {
  return value === null ? 'unlimited' : String(value);
}
