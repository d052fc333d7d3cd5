import { dayFromDate } from '../../../runtime/day.ts';
import type { Caller, UsageState } from '../caller.ts';
import { type Enforcement, isEnforced, type Terms } from '../organizations/terms.ts';
import type { Batcher, Idempotency, ReserveRequest, UnitKey, UsageResponse } from './usage-store.ts';

/** Taken before the request is handled. */
export interface Reservation extends UnitKey {
  readonly limit: number | null;
  /** Unix seconds of the day's end. */
  readonly resetAt: number;
  /** True until the unit is settled or released. */
  isOpen: boolean;
  /**
   * Change of the day's count so far: 1; 0 if an Idempotency-Key already held the unit, or after release; 1 after
   * release if others still hold it; -1 if this released a unit that another request took.
   */
  units: number;
}

export interface UnitFor {
  /** The `Idempotency-Key` header. */
  readonly idempotencyKey: string | undefined;
  /** Hash of the effective request, 1 to 64 characters. */
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
  /** Undefined if the key was revoked. */
  readonly refreshTerms: (caller: Caller) => Promise<Terms | undefined>;
  /** Called with the time of each reservation. */
  readonly onReserve: (now: Date) => void;
}

/**
 * The daily quota (specification "Daily quota"; decision 0020). A unit is taken durably before a request is handled,
 * and released if its response doesn't count: a killed process loses no unit of a response, and parallel requests never
 * exceed the limit.
 */
export class Quota {
  readonly #deps: QuotaDeps;
  readonly #dayOf = cachedQuotaDay();

  constructor(deps: QuotaDeps) {
    this.#deps = deps;
  }

  /**
   * Takes a unit, or shares the one that the Idempotency-Key holds. Reads the terms again before refusing, so upgrades
   * apply at once. Rejects with `unavailable`.
   */
  async reserve(caller: Caller, unitFor?: UnitFor): Promise<ReserveResult> {
    const idempotency = idempotencyOf(unitFor);
    const now = this.#deps.clock();
    this.#deps.onReserve(now);
    const current = areTermsCurrent(caller, now) ? caller : await this.#renew(caller);
    const pending = this.#pendingFor(current, now, idempotency);
    const response = await this.#deps.batcher.submit(pending);
    if (response.isGranted) return resultFrom(pending, response);
    const terms = await this.#deps.refreshTerms(caller);
    if (terms === undefined || !couldGrant(terms, current.terms)) return resultFrom(pending, response);
    const again = this.#pendingFor({ ...caller, terms }, now, idempotency);
    return resultFrom(again, await this.#deps.batcher.submit(again));
  }

  /** Makes the unit final; a later {@link Quota.release} does nothing. */
  settle(reservation: Reservation): void {
    reservation.isOpen = false;
  }

  /** Releases the unit on its own day, unless settled or held by other requests with the Idempotency-Key. */
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
    const { organizationId, terms } = areTermsCurrent(caller, now) ? caller : await this.#renew(caller);
    const today = this.#dayOf(now);
    const { used } = await this.#deps.batcher.submit({ kind: 'read', organizationId, day: today.day });
    return usageState(today, used, terms.quotaLimit);
  }

  async #renew(caller: Caller): Promise<Caller> {
    const terms = await this.#deps.refreshTerms(caller);
    return terms === undefined ? caller : { ...caller, terms };
  }

  #pendingFor(
    { organizationId, credentialId, terms }: Caller,
    now: Date,
    idempotency: Idempotency | undefined,
  ): PendingReservation {
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

/** Becomes the reservation when granted. */
type PendingReservation = ReserveRequest & Reservation;

function resultFrom(pending: PendingReservation, { isGranted, used, units }: UsageResponse): ReserveResult {
  pending.units = units;
  const usage = usageState(pending, used, pending.limit);
  return isGranted ? { granted: true, reservation: pending, usage } : { granted: false, usage };
}

function idempotencyOf(unitFor: UnitFor | undefined): Idempotency | undefined {
  if (unitFor?.idempotencyKey === undefined) return undefined;
  const { idempotencyKey: key, request } = unitFor;
  if (request === '' || request.length > REQUEST_LENGTH_MAX)
    throw new RangeError(`the hash of a request has 1 to ${REQUEST_LENGTH_MAX} characters, not ${request.length}`);
  return { key, request };
}

/** False after midnight for a request admitted before: the terms may differ. */
function areTermsCurrent({ termsUntilMs }: Caller, now: Date): boolean {
  return termsUntilMs === undefined || now.getTime() < termsUntilMs;
}

function couldGrant(terms: Terms, before: Terms): boolean {
  const hasNewLimit = terms.quotaLimit !== before.quotaLimit;
  return hasNewLimit || terms.status !== before.status || terms.graceUntil?.getTime() !== before.graceUntil?.getTime();
}

function usageState({ day, resetAt }: QuotaDay, used: number, limit: number | null): UsageState {
  return { quotaDay: day, used, limit, remaining: limit === null ? null : Math.max(0, limit - used), resetAt };
}

const DAY_SECONDS = 86_400;
const DAY_MS = DAY_SECONDS * 1000;

export function quotaDayAt(now: Date) {
  const resetAt = (Math.floor(now.getTime() / DAY_MS) + 1) * DAY_SECONDS;
  return { day: dayFromDate(now), resetAt };
}

/** See specification "Daily quota". */
type QuotaDay = Readonly<ReturnType<typeof quotaDayAt>>;

/** Returns {@link quotaDayAt}, cached for the current day. */
function cachedQuotaDay(): (now: Date) => QuotaDay {
  let last: QuotaDay | undefined;
  return (now) => {
    const aheadSeconds = last === undefined ? Number.NaN : last.resetAt - now.getTime() / 1000;
    if (last === undefined || !(aheadSeconds > 0 && aheadSeconds <= DAY_SECONDS)) last = quotaDayAt(now);
    return last;
  };
}
