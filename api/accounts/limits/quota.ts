import { dayFromDate } from '../../../runtime/day.ts';
import type { Caller, UsageState } from '../caller.ts';
import { type Enforcement, isEnforced, type Terms } from '../organizations/terms.ts';
import type { Batcher, Idempotency, ReserveRequest, UnitKey, UsageResponse } from './usage-store.ts';

/** A unit of today's quota, taken before a request is handled. */
export interface Reservation extends UnitKey {
  readonly limit: number | null;
  /** Unix seconds of the end of its day. */
  readonly resetAt: number;
  /** Until it is settled or given back, which each happen once at most. */
  isOpen: boolean;
  /**
   * By how much it changed the day's count so far: 0 where an Idempotency-Key held the unit already, or since it was given back;
   * still 1 where others hold on to it then, and -1 where the last of them gave back what another had taken.
   */
  units: number;
}

/** What a unit is taken for. */
export interface UnitFor {
  /** The header `Idempotency-Key`, where there is one. */
  readonly idempotencyKey: string | undefined;
  /** A hash of the effective request, 1 to 64 characters: the key holds a unit for this request alone. */
  readonly request: string;
}

const REQUEST_LENGTH_MAX = 64;

export type ReserveResult =
  | { readonly granted: true; readonly reservation: Reservation; readonly usage: UsageState }
  | { readonly granted: false; readonly usage: UsageState };

export interface QuotaDeps {
  readonly batcher: Batcher;
  readonly clock: () => Date;
  readonly enforcement: Enforcement;
  /** The caller's terms as the database has them now; undefined where the key was revoked. */
  readonly refreshTerms: (caller: Caller) => Promise<Terms | undefined>;
  /** Called with the instant of each reservation. */
  readonly onReserve: (now: Date) => void;
}

/**
 * The daily quota (specification "Daily quota"; decision 0020): a unit is taken, durably, before a request is handled, and given
 * back when its answer doesn't count. So kill -9 loses no unit of an answered request, and parallel requests never exceed the
 * limit; the unit of a request that was under way when the process was killed stays counted.
 */
export class Quota {
  readonly #deps: QuotaDeps;
  readonly #dayOf = quotaDayTeller();

  constructor(deps: QuotaDeps) {
    this.#deps = deps;
  }

  /**
   * Takes a unit, or shares the one that the Idempotency-Key holds today for the same request. Before it refuses, it reads the
   * terms anew, so an upgrade holds from the next request on. Rejects with `unavailable`.
   */
  async reserve(caller: Caller, unitFor?: UnitFor): Promise<ReserveResult> {
    const idempotency = idempotencyOf(unitFor);
    const now = this.#deps.clock();
    this.#deps.onReserve(now);
    const current = holdsAt(caller, now) ? caller : await this.#renew(caller);
    const wanted = this.#want(current, now, idempotency);
    const response = await this.#deps.batcher.submit(wanted);
    if (response.isGranted) return resultFrom(wanted, response);
    const terms = await this.#deps.refreshTerms(caller);
    if (terms === undefined || !couldGrant(terms, current.terms)) return resultFrom(wanted, response);
    const again = this.#want({ ...caller, terms }, now, idempotency);
    return resultFrom(again, await this.#deps.batcher.submit(again));
  }

  /** Keeps the unit: the request was answered. A later {@link Quota.release} does nothing. */
  settle(reservation: Reservation): void {
    reservation.isOpen = false;
  }

  /** Gives the unit back to its own day, unless other requests with the same Idempotency-Key hold it. Once at most. */
  async release(reservation: Reservation): Promise<UsageState> {
    const kind = reservation.isOpen ? 'release' : 'read';
    reservation.isOpen = false;
    const { used, units } = await this.#deps.batcher.submit({ ...reservation, kind });
    reservation.units += units;
    return usageState(reservation, used, reservation.limit);
  }

  /** Today's usage. Rejects with `unavailable`. */
  async usage(caller: Caller): Promise<UsageState> {
    const now = this.#deps.clock();
    const { organizationId, terms } = holdsAt(caller, now) ? caller : await this.#renew(caller);
    const today = this.#dayOf(now);
    const { used } = await this.#deps.batcher.submit({ kind: 'read', organizationId, day: today.day });
    return usageState(today, used, terms.quotaLimit);
  }

  async #renew(caller: Caller): Promise<Caller> {
    const terms = await this.#deps.refreshTerms(caller);
    return terms === undefined ? caller : { ...caller, terms };
  }

  #want({ organizationId, credentialId, terms }: Caller, now: Date, idempotency: Idempotency | undefined): Wanted {
    const { day, resetAt } = this.#dayOf(now);
    const limit = terms.quotaLimit;
    const cap = isEnforced(this.#deps.enforcement, terms, now) ? limit : null;
    return {
      kind: 'reserve',
      organizationId,
      credentialId,
      day,
      idempotency,
      cap,
      limit,
      resetAt,
      isOpen: true,
      units: 0,
    };
  }
}

/** What is asked of the store, and the reservation that it is once it is granted. */
type Wanted = ReserveRequest & Reservation;

function resultFrom(wanted: Wanted, { isGranted, used, units }: UsageResponse): ReserveResult {
  wanted.units = units;
  const usage = usageState(wanted, used, wanted.limit);
  return isGranted ? { granted: true, reservation: wanted, usage } : { granted: false, usage };
}

function idempotencyOf(unitFor: UnitFor | undefined): Idempotency | undefined {
  if (unitFor?.idempotencyKey === undefined) return undefined;
  const { idempotencyKey: key, request } = unitFor;
  if (request === '' || request.length > REQUEST_LENGTH_MAX)
    throw new RangeError(`the hash of a request has 1 to ${REQUEST_LENGTH_MAX} characters, not ${request.length}`);
  return { key, request };
}

/** False for who was admitted before midnight and comes here after it: what was lost yesterday doesn't count for today. */
function holdsAt({ termsUntilMs }: Caller, now: Date): boolean {
  return termsUntilMs === undefined || now.getTime() < termsUntilMs;
}

/** Whether these terms could grant what those before refused: the limit, the status or the grace date is another. */
function couldGrant(terms: Terms, before: Terms): boolean {
  const isOtherLimit = terms.quotaLimit !== before.quotaLimit;
  return isOtherLimit || terms.status !== before.status || terms.graceUntil?.getTime() !== before.graceUntil?.getTime();
}

function usageState({ day, resetAt }: QuotaDay, used: number, limit: number | null): UsageState {
  return { quotaDay: day, used, limit, remaining: limit === null ? null : Math.max(0, limit - used), resetAt };
}

const DAY_SECONDS = 86_400;
const DAY_MS = DAY_SECONDS * 1000;

export function quotaDayAt(now: Date) {
  /** Unix seconds of the next 00:00:00 UTC. */
  const resetAt = (Math.floor(now.getTime() / DAY_MS) + 1) * DAY_SECONDS;
  return { day: dayFromDate(now), resetAt };
}

/** The UTC day whose counters an instant belongs to, and when the next one begins (specification "Daily quota"). */
type QuotaDay = Readonly<ReturnType<typeof quotaDayAt>>;

/** Tells the day of instants, at little cost for one that is in the day that was told last. */
function quotaDayTeller(): (now: Date) => QuotaDay {
  let last: QuotaDay | undefined;
  return (now) => {
    const aheadSeconds = last === undefined ? Number.NaN : last.resetAt - now.getTime() / 1000;
    if (last === undefined || !(aheadSeconds > 0 && aheadSeconds <= DAY_SECONDS)) last = quotaDayAt(now);
    return last;
  };
}
