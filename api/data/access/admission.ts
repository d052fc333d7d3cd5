import { type Awaitable, mapAwaitable } from '../../../runtime/awaitable.ts';
import type { Day } from '../../../runtime/day.ts';
import type { Account, Caller, UsageState } from '../../accounts/caller.ts';
import { quotaDayAt, type Reservation, type UnitFor } from '../../accounts/limits/quota.ts';
import type { BurstState } from '../../accounts/limits/rate-limiter.ts';
import type { Accounts } from '../../accounts/open-accounts.ts';
import type { FinishedRequest } from '../../accounts/request-counts/request-recorder.ts';
import { type HttpError, httpError } from '../../server/errors/http-error.ts';
import type { ResponseHeaders } from '../../server/response-headers.ts';
import { hideOutageReason, limitHeaders, quotaExceeded } from './refusals.ts';
import type { Rights } from './rights.ts';

export interface AdmissionFacts {
  readonly caller: Caller;
  /** Undefined if no such route exists for the caller. */
  readonly route: string | undefined;
  readonly burst: BurstState;
  /** Whether the route is a data route. */
  readonly isData: boolean;
  /** Whether quota and burst limit apply, with their headers. */
  readonly hasLimits: boolean;
  /** Undefined: the request is not refused. */
  readonly refusal: HttpError | undefined;
}

export interface AdmissionDeps {
  readonly accounts: Pick<Accounts, 'quota' | 'accountObject' | 'countRequest'>;
  readonly clock: () => Date;
}

/**
 * A request of an authenticated caller, until its response is sent. A refused one throws its refusal from every method
 * that would grant something, but still has limit headers.
 */
export class Admission implements FinishedRequest {
  readonly caller: Caller;
  readonly route: string | undefined;
  readonly isData: boolean;
  readonly refusal: HttpError | undefined;
  readonly burst: BurstState;
  readonly hasLimits: boolean;
  readonly #deps: AdmissionDeps;
  /** As the quota reported last. */
  #usage: UsageState | undefined;
  /** The unit in use, until the response is sent. */
  #reservation: Reservation | undefined;
  /** The same, also after a refund. */
  #lastReservation: Reservation | undefined;
  /** The last call to the quota, perhaps still running. */
  #pending: Promise<unknown> | undefined;
  /** Of the response; 0: none yet. */
  #status = 0;
  #isQuotaExceeded = false;
  /** The last quota call has not succeeded; another one would delay the caller again. */
  #isQuotaUnknown = false;
  #isAbandoned = false;

  constructor({ caller, route, burst, isData, hasLimits, refusal }: AdmissionFacts, deps: AdmissionDeps) {
    this.caller = caller;
    this.route = route;
    this.isData = isData;
    this.refusal = refusal;
    this.burst = burst;
    this.hasLimits = hasLimits;
    this.#deps = deps;
  }

  get rights(): Rights {
    this.#assertNotRefused();
    const { plan, historyMonths, snapshots } = this.caller.terms;
    return { plan: this.hasLimits ? plan : null, historyMonths, snapshots };
  }

  /** Reserves a unit of the daily quota; rejects with `quota_exceeded`. */
  takeUnit(unitFor?: UnitFor): Promise<void> {
    const taking = this.#takeUnit(unitFor);
    this.#pending = taking;
    return taking;
  }

  async #takeUnit(unitFor: UnitFor | undefined): Promise<void> {
    this.#assertNotRefused();
    if (!this.hasLimits) return;
    this.#isQuotaUnknown = true;
    const result = await hideOutageReason(() => this.#deps.accounts.quota.reserve(this.caller, unitFor));
    this.#isQuotaUnknown = false;
    this.#usage = result.usage;
    this.#isQuotaExceeded = !result.granted;
    if (!result.granted) throw quotaExceeded(result.usage, this.caller, this.#deps.clock());
    this.#reservation = result.reservation;
    this.#lastReservation = result.reservation;
    if (!this.#isAbandoned) return;
    await this.#refund();
    throw httpError('request_timeout', 'The client has disconnected'); // So no query runs for it.
  }

  /** The body of `GET /v1/account`. */
  async account(): Promise<Account> {
    this.#assertNotRefused();
    this.#isQuotaUnknown = true;
    const account = await hideOutageReason(() => this.#deps.accounts.accountObject(this.caller));
    this.#isQuotaUnknown = false;
    const { quota_day: quotaDay, used, limit, remaining, reset_at: resetAt } = account.usage;
    this.#usage = { quotaDay, used, limit, remaining, resetAt };
    return account;
  }

  /**
   * Refunds the unit if the status costs none, and returns the headers of the response. May run again if sending fails,
   * so the unit is final only after {@link finish}. Never rejects.
   */
  settle(status: number): Awaitable<ResponseHeaders> {
    this.#status = status;
    const own = this.isData && status >= 400 ? DATA_ERROR_HEADERS : PRIVATE_HEADERS;
    if (!this.hasLimits || this.#isAbandoned) return own;
    return mapAwaitable(this.#usageAfter(status), (usage) => {
      const { plan, quotaLimit } = this.caller.terms;
      const quota = usage ?? { limit: quotaLimit, resetAt: quotaDayAt(this.#deps.clock()).resetAt };
      return limitHeaders({ plan, burst: this.burst, quota }, own);
    });
  }

  /** The response was sent. Call either this or {@link abandon}, once. */
  finish(): void {
    if (this.#reservation !== undefined) this.#deps.accounts.quota.settle(this.#reservation);
    this.#deps.accounts.countRequest(this);
  }

  /**
   * The client has disconnected. Refunds the unit, unless part of the response was sent (decision 0020). Never rejects.
   */
  async abandon({ hasBegun }: { readonly hasBegun: boolean }): Promise<void> {
    if (hasBegun) return this.finish();
    this.#isAbandoned = true;
    await this.#pending?.catch(() => undefined); // takeUnit refunds a unit that it is reserving.
    await this.#refund();
    this.#deps.accounts.countRequest(this);
  }

  /** The UTC day that the request counts on. */
  get day(): Day {
    return this.#usage?.quotaDay ?? quotaDayAt(this.#deps.clock()).day;
  }

  /** Net change of the day's units. */
  get units(): number {
    return this.#lastReservation?.units ?? 0;
  }

  /** How the finished request is counted. */
  get outcome(): FinishedRequest['outcome'] {
    const status = this.#status;
    if (this.#isAbandoned) return 'aborted';
    if (status === 304) return 'not_modified';
    if (status === 429) return this.#isQuotaExceeded ? 'quota_exceeded' : 'rate_limited';
    if (status >= 500) return 'server_errors';
    if (status >= 400) return 'client_errors';
    return this.#lastReservation?.units === 0 ? 'shared_units' : undefined;
  }

  async #refund(): Promise<void> {
    const reservation = this.#reservation;
    this.#reservation = undefined;
    // If the control database fails, the unit stays counted, as after a crash.
    if (reservation !== undefined) await this.#deps.accounts.quota.release(reservation).catch(() => undefined);
  }

  /** Undefined if the control database fails: better fewer headers than no response. */
  #usageAfter(status: number): Awaitable<UsageState | undefined> {
    const reservation = this.#reservation;
    if (this.#isQuotaUnknown || (reservation !== undefined && isCounted(status))) return this.#usage;
    if (reservation === undefined && this.#usage !== undefined) return this.#usage;
    const usage = this.#fetchUsage(reservation);
    this.#pending = usage;
    return usage;
  }

  async #fetchUsage(reservation: Reservation | undefined): Promise<UsageState | undefined> {
    const { quota } = this.#deps.accounts;
    this.#reservation = undefined;
    try {
      this.#usage = await (reservation === undefined ? quota.usage(this.caller) : quota.release(reservation));
      return this.#usage;
    } catch {
      return undefined;
    }
  }

  #assertNotRefused(): void {
    if (this.refusal !== undefined) throw this.refusal;
  }
}

/** Shared caches must not store a caller's limits (decision 0032). */
const PRIVATE_HEADERS: ResponseHeaders = { 'CDN-Cache-Control': 'no-store' };
const DATA_ERROR_HEADERS: ResponseHeaders = { ...PRIVATE_HEADERS, 'X-Cache': 'BYPASS' };

/** Whether a status costs a unit (specification "Daily quota"). */
function isCounted(status: number): boolean {
  return (status >= 200 && status < 300) || status === 302;
}
