/**
 * Who may ask for what, and how often (DESIGN §7 "Order of checks"), in front of every route below `/v1`:
 *
 * authentication (401) → burst and backstop (429) → capability (404) → the plan's features (403). Later, when a data route has
 * found its request in order and not fresh: quota (429). When the status is known, a unit is kept for 2xx and 302 and given
 * back otherwise, and the headers tell the state after that.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Accounts } from '../../accounts/accounts.ts';
import type { BurstState } from '../../accounts/burst/window.ts';
import type { Caller } from '../../accounts/caller.ts';
import type { Reservation } from '../../accounts/quota/quota.ts';
import type { UsageState } from '../../schemas/account.ts';
import { type Feature, HISTORY_MONTHS_FULL } from '../../schemas/plans.ts';
import { isBackstopRoute } from '../../schemas/route-limits.ts';
import { ApiError, notFound } from '../api-error.ts';
import type { Rights } from '../rights.ts';
import { type Capability, type CapabilityStates, isLive } from './capabilities.ts';
import { limitHeaders } from './limit-headers.ts';

/** What a route below `/v1` asks of its callers. */
export interface RouteAccess {
  /** As in the documentation, such as `/v1/models/{id}`; names the backstop. */
  readonly route: string;
  readonly capability: Capability;
  /** What the plan must include; null: nothing. */
  readonly feature: Feature | null;
}

/** What is known of a request so far. */
interface Visit {
  readonly caller: Caller;
  readonly burst: BurstState;
  usage: UsageState | undefined;
  reservation: Reservation | undefined;
}

export interface AccessDeps {
  readonly accounts: Accounts;
  readonly capabilities: CapabilityStates;
  /** Counts an attempt without a valid key against the client's address; rejects with `rate_limit_exceeded`. */
  readonly countFailure: (request: FastifyRequest) => Promise<void>;
  readonly clock: () => Date;
}

export class AccessControl {
  readonly #deps: AccessDeps;
  readonly #visits = new WeakMap<FastifyRequest, Visit>();

  constructor(deps: AccessDeps) {
    this.#deps = deps;
  }

  /** Everything before validation; undefined for a route that doesn't exist. */
  async admit(request: FastifyRequest, access: RouteAccess | undefined): Promise<void> {
    const { accounts, capabilities } = this.#deps;
    const caller = await this.#authenticate(request);
    const burst = await accounts.burst.hit(caller);
    this.#visits.set(request, { caller, burst, usage: undefined, reservation: undefined });
    const hasPlans = isLive(capabilities, 'plans', caller.organizationId);
    if (burst.refused && hasPlans) throw this.#tooMany(burst, caller, 'Your organization sends too many requests');
    if (access === undefined) return;
    if (isBackstopRoute(access.route)) {
      const state = await accounts.backstop.hit(caller, access.route);
      if (state.refused) throw this.#tooMany(state, caller, `This key asks ${access.route} too often`);
    }
    if (!isLive(capabilities, access.capability, caller.organizationId)) throw notFound(null, 'There is no such route');
    const { feature } = access;
    if (feature === null || caller.terms.features.includes(feature)) return;
    const message = `The ${caller.terms.displayName} plan does not include ${feature}`;
    throw new ApiError('feature_not_in_plan', message, { plan: caller.terms.plan });
  }

  /** What the caller may see. */
  rightsOf(request: FastifyRequest): Rights {
    const { terms } = this.#getVisit(request).caller;
    const historyMonths = terms.historyMonths >= HISTORY_MONTHS_FULL ? null : terms.historyMonths;
    return { plan: terms.plan, historyMonths, snapshots: terms.snapshots };
  }

  /** Takes a unit of the daily quota; throws `quota_exceeded` where there is none left. */
  async takeUnit(request: FastifyRequest): Promise<void> {
    const visit = this.#getVisit(request);
    const { caller } = visit;
    if (!isLive(this.#deps.capabilities, 'plans', caller.organizationId)) return;
    const header = request.headers['idempotency-key'];
    const idempotencyKey = typeof header === 'string' ? header : undefined;
    const result = await this.#deps.accounts.quota.reserve(caller, { idempotencyKey });
    visit.usage = result.usage;
    if (result.granted) visit.reservation = result.reservation;
    else throw this.#quotaExceeded(result.usage, caller);
  }

  /** The body of `GET /v1/account`. */
  accountOf(request: FastifyRequest) {
    return this.#deps.accounts.accountObject(this.#getVisit(request).caller);
  }

  /** Keeps or gives back the unit, now that the status is known, and sets the headers of an authenticated answer. */
  async settle(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const visit = this.#visits.get(request);
    if (visit === undefined || !isLive(this.#deps.capabilities, 'plans', visit.caller.organizationId)) return;
    const { caller, burst } = visit;
    const usage = await this.#settleUsage(visit, reply.statusCode);
    if (usage !== undefined) reply.headers(limitHeaders({ plan: caller.terms.plan, burst, usage }));
  }

  async #authenticate(request: FastifyRequest): Promise<Caller> {
    const token = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1];
    const caller = await this.#deps.accounts.authenticate(token);
    if (caller !== undefined) return caller;
    await this.#deps.countFailure(request);
    throw new ApiError('unauthenticated', 'Send a valid API key as "Authorization: Bearer <API_KEY>"');
  }

  async #settleUsage(visit: Visit, status: number): Promise<UsageState | undefined> {
    const { quota } = this.#deps.accounts;
    const { reservation, caller } = visit;
    try {
      if (reservation === undefined) return visit.usage ?? (await quota.usage(caller));
      visit.reservation = undefined;
      if (!isCounted(status)) return await quota.release(reservation);
      quota.settle(reservation);
      return visit.usage;
    } catch {
      return undefined; // The answer is better than its headers; the control database's trouble shows elsewhere.
    }
  }

  #tooMany(state: BurstState, { terms }: Caller, message: string): ApiError {
    return new ApiError('rate_limit_exceeded', `${message}; the limit is ${state.limit} a minute`, {
      limitType: 'burst',
      plan: terms.plan,
      resetAt: new Date(state.resetAt * 1000).toISOString(),
      headers: { 'Retry-After': String(state.retryAfterSeconds) },
    });
  }

  #quotaExceeded({ limit, resetAt }: UsageState, { terms }: Caller): ApiError {
    const seconds = Math.max(1, resetAt - Math.floor(this.#deps.clock().getTime() / 1000));
    return new ApiError('quota_exceeded', `Your organization's ${limit} data responses of today are used up`, {
      limitType: 'daily_quota',
      plan: terms.plan,
      resetAt: new Date(resetAt * 1000).toISOString(),
      headers: { 'Retry-After': String(seconds) },
    });
  }

  #getVisit(request: FastifyRequest): Visit {
    const visit = this.#visits.get(request);
    if (visit === undefined) throw new Error('a route below /v1 was reached without being admitted');
    return visit;
  }
}

/** What counts as a data response (SPEC "Daily quota rules" 2 and 3). */
function isCounted(status: number): boolean {
  return (status >= 200 && status < 300) || status === 302;
}
