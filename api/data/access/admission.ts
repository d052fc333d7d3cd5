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

/** What was found out about a request when it was admitted. */
export interface AdmissionFacts {
  readonly caller: Caller;
  /** The name of the route that is there for the caller; undefined: none is. */
  readonly route: string | undefined;
  readonly burst: BurstState;
  /** Whether it asks a data route that is there for the caller. */
  readonly isData: boolean;
  /** Whether quota and burst limit hold for the caller, and are told in headers. */
  readonly hasLimits: boolean;
  /** Why it is not answered; undefined: it may be. */
  readonly refusal: HttpError | undefined;
}

export interface AdmissionDeps {
  readonly accounts: Pick<Accounts, 'quota' | 'accountObject' | 'countRequest'>;
  readonly clock: () => Date;
}

/**
 * One request of an authenticated caller, from its admission until its answer is sent. A refused one grants nothing: whatever
 * is asked of it throws the refusal, but it tells its limits like any other.
 */
export class Admission implements FinishedRequest {
  readonly caller: Caller;
  readonly route: string | undefined;
  readonly isData: boolean;
  readonly refusal: HttpError | undefined;
  readonly burst: BurstState;
  readonly hasLimits: boolean;
  readonly #deps: AdmissionDeps;
  /** As the last look at the quota told it. */
  #usage: UsageState | undefined;
  /** The unit it holds, until its answer is sent. */
  #reservation: Reservation | undefined;
  /** The same, also after it was given back. */
  #taken: Reservation | undefined;
  /** What was asked of the quota last, perhaps without an answer yet. */
  #asked: Promise<unknown> | undefined;
  /** Of its answer, as it was told last; 0: none. */
  #status = 0;
  #isQuotaExceeded = false;
  /** Whether the quota could not be asked; asking again would only make the caller wait as long again. */
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

  /** What the caller may see. */
  get rights(): Rights {
    this.#assertNotRefused();
    const { plan, historyMonths, snapshots } = this.caller.terms;
    return { plan: this.hasLimits ? plan : null, historyMonths, snapshots };
  }

  /** Takes a unit of the daily quota; rejects with `quota_exceeded` where there is none left. */
  takeUnit(unitFor?: UnitFor): Promise<void> {
    const taking = this.#takeUnit(unitFor);
    this.#asked = taking;
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
    this.#taken = result.reservation;
    if (!this.#isAbandoned) return;
    await this.#refund();
    throw httpError('request_timeout', 'Nobody waits for the answer any more'); // So no query runs for it.
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
   * Gives the unit back where the status doesn't count, and tells the headers of the answer: those of limits where they are
   * told, and of a data route's error that it was never kept. An answer that fails while it is sent becomes another one and is
   * settled again, so the unit is not final before {@link finish}. Never rejects.
   */
  settle(status: number): Awaitable<ResponseHeaders> {
    this.#status = status;
    const own = this.isData && status >= 400 ? OF_DATA_ERRORS : CALLERS_OWN;
    if (!this.hasLimits || this.#isAbandoned) return own;
    return mapAwaitable(this.#usageAfter(status), (usage) => {
      const { plan, quotaLimit } = this.caller.terms;
      const quota = usage ?? { limit: quotaLimit, resetAt: quotaDayAt(this.#deps.clock()).resetAt };
      return limitHeaders({ plan, burst: this.burst, quota }, own);
    });
  }

  /** The answer was sent: what it cost is final, and is counted. For each visit either this or {@link abandon}, once. */
  finish(): void {
    if (this.#reservation !== undefined) this.#deps.accounts.quota.settle(this.#reservation);
    this.#deps.accounts.countRequest(this);
  }

  /**
   * Nobody waits for the answer any more. The unit is given back where nothing of the answer was sent, also one that is only
   * being taken; where some of it was, it stays (decision 0036). Never rejects.
   */
  async abandon({ hasBegun }: { readonly hasBegun: boolean }): Promise<void> {
    if (hasBegun) return this.finish();
    this.#isAbandoned = true;
    await this.#asked?.catch(() => undefined); // A unit that is being taken is given back at once.
    await this.#refund();
    this.#deps.accounts.countRequest(this);
  }

  /** The UTC day that it counts on. */
  get day(): Day {
    return this.#usage?.quotaDay ?? quotaDayAt(this.#deps.clock()).day;
  }

  /** By how much it changed the day's units, all told. */
  get units(): number {
    return this.#taken?.units ?? 0;
  }

  /** What it counts as, once it is over. */
  get outcome(): FinishedRequest['outcome'] {
    const status = this.#status;
    if (this.#isAbandoned) return 'aborted';
    if (status === 304) return 'not_modified';
    if (status === 429) return this.#isQuotaExceeded ? 'quota_exceeded' : 'rate_limited';
    if (status >= 500) return 'server_errors';
    if (status >= 400) return 'client_errors';
    return this.#taken?.units === 0 ? 'shared_units' : undefined;
  }

  async #refund(): Promise<void> {
    const reservation = this.#reservation;
    this.#reservation = undefined;
    // Where the control database doesn't answer, the unit stays counted, as after a crash.
    if (reservation !== undefined) await this.#deps.accounts.quota.release(reservation).catch(() => undefined);
  }

  /** Undefined where the control database doesn't tell: the answer is better than its headers. */
  #usageAfter(status: number): Awaitable<UsageState | undefined> {
    const reservation = this.#reservation;
    if (this.#isQuotaUnknown || (reservation !== undefined && isCounted(status))) return this.#usage;
    if (reservation === undefined && this.#usage !== undefined) return this.#usage;
    const usage = this.#askUsage(reservation);
    this.#asked = usage;
    return usage;
  }

  async #askUsage(reservation: Reservation | undefined): Promise<UsageState | undefined> {
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

/** Whatever a caller is sent carries its own limits: no cache between may keep it for others (decision 0032). */
const CALLERS_OWN: ResponseHeaders = { 'CDN-Cache-Control': 'no-store' };
const OF_DATA_ERRORS: ResponseHeaders = { ...CALLERS_OWN, 'X-Cache': 'BYPASS' };

/** What counts as a data response (specification "Daily quota"). */
function isCounted(status: number): boolean {
  return (status >= 200 && status < 300) || status === 302;
}
