/**
 * Who may ask for what, and how often (DESIGN §7 "Order of checks"), in front of every route below `/v1`:
 *
 * authentication (401) → burst (429) → capability (404) → backstop (429) → the plan's features (403). Later, when a data route
 * has found its request in order and not fresh: quota (429). When the status is known, a unit is kept for 2xx and 302 and
 * given back otherwise, and the headers tell the state after that.
 *
 * The backstop is a route's own, so it comes after the capability: what is switched off has none, like any unknown route.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Accounts } from '../../accounts/accounts.ts';
import type { BurstState } from '../../accounts/burst/window.ts';
import type { Caller } from '../../accounts/caller.ts';
import type { Reservation } from '../../accounts/quota/quota.ts';
import type { Account, UsageState } from '../../schemas/account.ts';
import type { Feature } from '../../schemas/plans.ts';
import { quotaDayAt } from '../../schemas/quota-day.ts';
import { isBackstopRoute } from '../../schemas/route-limits.ts';
import { ApiError, notFound } from '../api-error.ts';
import type { Rights } from '../rights.ts';
import { type Capability, type CapabilityStates, isLive } from './capabilities.ts';
import { limitHeaders } from './limit-headers.ts';
import { assertFeature, orUnavailable, quotaExceeded, tooManyRequests } from './refusals.ts';

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
  /** Whether it asks a data route that is there for the caller. */
  readonly isData: boolean;
  /** As the last look at the quota told it. */
  usage: UsageState | undefined;
  /** The unit it holds, until its answer is sent. */
  reservation: Reservation | undefined;
  /** Whether the quota could not be asked; asking again would only make the caller wait as long again. */
  isQuotaUnknown: boolean;
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

  /** Everything before validation; `access` is undefined for a route that doesn't exist, which ends here too. */
  async admit(request: FastifyRequest, access: RouteAccess | undefined): Promise<void> {
    const caller = await this.#authenticate(request);
    const burst = await this.#deps.accounts.burst.hit(caller);
    const route = access !== undefined && this.#isLive(access.capability, caller) ? access : undefined;
    const isData = route !== undefined && route.capability !== 'account';
    const nothing = { usage: undefined, reservation: undefined, isQuotaUnknown: false };
    this.#visits.set(request, { caller, burst, isData, ...nothing });
    if (burst.refused && this.#isLive('plans', caller))
      throw tooManyRequests(burst, caller, 'Your organization sends too many requests');
    if (route === undefined) throw notFound(null, 'There is no such route');
    await this.#countForBackstop(route, caller);
    assertFeature(route.feature, caller);
  }

  /** What the caller may see. */
  rightsOf(request: FastifyRequest): Rights {
    const { plan, historyMonths, snapshots } = this.#getVisit(request).caller.terms;
    return { plan, historyMonths, snapshots };
  }

  /** Takes a unit of the daily quota; throws `quota_exceeded` where there is none left. */
  async takeUnit(request: FastifyRequest): Promise<void> {
    const visit = this.#getVisit(request);
    const { caller } = visit;
    if (!this.#isLive('plans', caller)) return;
    const header = request.headers['idempotency-key'];
    const idempotencyKey = typeof header === 'string' ? header : undefined;
    visit.isQuotaUnknown = true;
    const result = await orUnavailable(this.#deps.accounts.quota.reserve(caller, { idempotencyKey }));
    visit.isQuotaUnknown = false;
    visit.usage = result.usage;
    if (result.granted) visit.reservation = result.reservation;
    else throw quotaExceeded(result.usage, caller, this.#deps.clock());
  }

  /** The body of `GET /v1/account`. */
  async accountOf(request: FastifyRequest): Promise<Account> {
    const visit = this.#getVisit(request);
    visit.isQuotaUnknown = true;
    const account = await orUnavailable(this.#deps.accounts.accountObject(visit.caller));
    visit.isQuotaUnknown = false;
    const { quota_day: quotaDay, used, limit, remaining, reset_at: resetAt } = account.usage;
    visit.usage = { quotaDay, used, limit, remaining, resetAt };
    return account;
  }

  /**
   * Gives the unit back where the status doesn't count, and sets the headers of an authenticated answer. An answer that fails
   * while it is sent becomes another one and comes here again, so the unit is not final before {@link finish}.
   */
  async settle(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const visit = this.#visits.get(request);
    if (visit === undefined || !this.#isLive('plans', visit.caller)) return;
    const { caller, burst, isData } = visit;
    if (isData && !reply.hasHeader('X-Cache')) reply.header('X-Cache', 'BYPASS');
    const usage = await this.#usageAfter(visit, reply.statusCode);
    const { resetAt } = quotaDayAt(this.#deps.clock());
    const quota = usage ?? { limit: caller.terms.quotaLimit, resetAt };
    reply.headers(limitHeaders({ plan: caller.terms.plan, burst, quota }));
  }

  /** The answer was sent, or nobody waits for it any more: what it cost is final. */
  finish(request: FastifyRequest): void {
    const reservation = this.#visits.get(request)?.reservation;
    if (reservation !== undefined) this.#deps.accounts.quota.settle(reservation);
  }

  async #authenticate(request: FastifyRequest): Promise<Caller> {
    const token = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1];
    const caller = await orUnavailable(this.#deps.accounts.authenticate(token));
    if (caller !== undefined) return caller;
    await this.#deps.countFailure(request);
    throw new ApiError('unauthenticated', 'Send a valid API key as "Authorization: Bearer <API_KEY>"');
  }

  async #countForBackstop({ route }: RouteAccess, caller: Caller): Promise<void> {
    if (!isBackstopRoute(route)) return;
    const state = await this.#deps.accounts.backstop.hit(caller, route);
    if (state.refused) throw tooManyRequests(state, caller, `This key asks ${route} too often`);
  }

  /** Undefined where the control database doesn't tell: the answer is better than its headers. */
  async #usageAfter(visit: Visit, status: number): Promise<UsageState | undefined> {
    const { quota } = this.#deps.accounts;
    const { reservation, caller } = visit;
    if (visit.isQuotaUnknown || (reservation !== undefined && isCounted(status))) return visit.usage;
    visit.reservation = undefined;
    try {
      visit.usage =
        reservation === undefined ? (visit.usage ?? (await quota.usage(caller))) : await quota.release(reservation);
      return visit.usage;
    } catch {
      return undefined;
    }
  }

  #isLive(capability: Capability, { organizationId }: Caller): boolean {
    return isLive(this.#deps.capabilities, capability, organizationId);
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
