import type { BurstState } from '../../accounts/burst/window.ts';
import type { UsageState } from '../../schemas/account.ts';
import type { PlanName } from '../../schemas/plans.ts';

/** Where a caller stands after a request (SPEC "Response headers"). */
export interface Standing {
  readonly plan: PlanName;
  readonly burst: BurstState;
  readonly usage: UsageState;
}

/** The headers of every authenticated answer, errors included. */
export function limitHeaders({ plan, burst, usage }: Standing): Record<string, string> {
  return {
    'X-RateLimit-Limit': String(burst.limit),
    'X-RateLimit-Remaining': String(burst.remaining),
    'X-RateLimit-Reset': String(burst.resetAt),
    'X-Quota-Limit': amount(usage.limit),
    'X-Quota-Used': String(usage.used),
    'X-Quota-Remaining': amount(usage.remaining),
    'X-Quota-Reset': String(usage.resetAt),
    'X-Service-Plan': plan,
  };
}

function amount(value: number | null): string {
  return value === null ? 'unlimited' : String(value);
}
