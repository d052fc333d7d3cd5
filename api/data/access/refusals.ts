import type { Awaitable } from '../../../runtime/awaitable.ts';
import { isAppError } from '../../../runtime/errors.ts';
import type { Caller, UsageState } from '../../accounts/caller.ts';
import type { BurstState } from '../../accounts/limits/rate-limiter.ts';
import {
  FEATURE_LABELS,
  type Feature,
  firstPlanWith,
  PLANS,
  type PlanName,
} from '../../accounts/organizations/plans.ts';
import type { ResponseHeaders } from '../../server/response-headers.ts';
import { ApiError } from '../api-errors.ts';

/** `hasLimits`: whether plans exist for the caller; only then responses mention them (specification "Capabilities"). */
export interface KnownCaller {
  readonly caller: Caller;
  readonly hasLimits: boolean;
}

/** Specification "Burst limit"; specification "Backstop". */
export function tooManyRequests(state: BurstState, { caller, hasLimits }: KnownCaller, what: string): ApiError {
  return new ApiError('rate_limit_exceeded', `${what}; the limit is ${state.limit} per minute`, {
    limitType: 'burst',
    limitScope: state.scope,
    plan: hasLimits ? caller.terms.plan : undefined,
    resetAt: new Date(state.resetAt * 1000).toISOString(),
    headers: { 'Retry-After': String(state.retryAfterSeconds) },
  });
}

/** Specification "Attempts without a key". */
export function tooManyAttempts(when: { readonly resetAt: Date; readonly retryAfterSeconds: number }): ApiError {
  return new ApiError('rate_limit_exceeded', 'Too many attempts without a valid API key from this address', {
    limitType: 'burst',
    resetAt: when.resetAt.toISOString(),
    headers: { 'Retry-After': String(when.retryAfterSeconds) },
  });
}

/** Specification "Daily quota". */
export function quotaExceeded({ limit, resetAt }: UsageState, { terms }: Caller, now: Date): ApiError {
  const seconds = Math.max(1, resetAt - Math.floor(now.getTime() / 1000));
  return new ApiError('quota_exceeded', `Your organization has used all ${limit} data responses of today`, {
    limitType: 'daily_quota',
    plan: terms.plan,
    resetAt: new Date(resetAt * 1000).toISOString(),
    headers: { 'Retry-After': String(seconds) },
  });
}

/** `feature_not_in_plan`, or undefined; null is no feature. */
export function findMissingFeature(feature: Feature | null, { terms }: Caller): ApiError | undefined {
  if (feature === null || terms.features.includes(feature)) return undefined;
  const message = `The ${terms.displayName} plan does not include ${FEATURE_LABELS[feature]}${upgradeHint(feature, terms.plan)}`;
  return new ApiError('feature_not_in_plan', message, { plan: terms.plan });
}

/** Names the first plan with a feature; empty if a contract removed it from the caller's plan. */
function upgradeHint(feature: Feature, plan: PlanName): string {
  const first = firstPlanWith(feature);
  if (first === undefined || PLANS[plan].features.includes(feature)) return '';
  return `; it is included from ${first.displayName} on`;
}

/** Only the log gets the reason of an outage. */
export function hideOutageReason<T>(work: () => Awaitable<T>): Awaitable<T> {
  try {
    const result = work();
    return result instanceof Promise ? result.catch(throwWithoutReason) : result;
  } catch (error) {
    return throwWithoutReason(error);
  }
}

function throwWithoutReason(error: unknown): never {
  if (!isAppError(error, 'unavailable')) throw error;
  const message = 'Keys and limits cannot be checked right now; try again in a moment';
  throw new ApiError('unavailable', message, { cause: error });
}

/** A caller's limits after a request (specification "Limit headers"). */
export interface LimitStatus {
  readonly plan: PlanName;
  readonly burst: BurstState;
  readonly quota: QuotaStatus;
}

/** Without counts if they are unavailable. */
export interface QuotaStatus {
  /** null: unlimited. */
  readonly limit: number | null;
  readonly used?: number;
  readonly remaining?: number | null;
  /** Unix seconds. */
  readonly resetAt: number;
}

/** Headers of every authenticated response, errors included, added to `before`. */
export function limitHeaders({ plan, burst, quota }: LimitStatus, before: ResponseHeaders): ResponseHeaders {
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
