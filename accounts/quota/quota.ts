import type { UsageState } from '../../schemas/account.ts';
import { type Enforcement, isEnforced } from '../../schemas/enforcement.ts';
import { quotaDayAt } from '../../schemas/quota-day.ts';
import type { Terms } from '../../schemas/terms.ts';
import type { Caller } from '../caller.ts';
import type { Batcher } from './batcher.ts';
import type { UnitKey } from './usage-store.ts';

/** A unit of today's quota, taken before a request is handled. */
export interface Reservation extends UnitKey {
  readonly limit: number | null;
}

export type ReserveResult =
  | { readonly granted: true; readonly reservation: Reservation; readonly usage: UsageState }
  | { readonly granted: false; readonly usage: UsageState };

export interface QuotaDeps {
  readonly batcher: Batcher;
  readonly clock: () => Date;
  readonly enforcement: Enforcement;
  /** The caller's terms as the database has them now; undefined where the key was revoked. */
  readonly refreshTerms: (caller: Caller) => Promise<Terms | undefined>;
  /** Told of each instant at which something was reserved. */
  readonly onReserve: (now: Date) => void;
}

/**
 * The daily quota (SPEC "Daily quota rules"): a unit is taken before a request is handled, durably, and given back when its
 * answer turns out not to count. So nothing that was answered is lost by kill -9, and parallel requests never exceed the limit;
 * a unit whose request died with the process stays counted.
 */
export class Quota {
  readonly #deps: QuotaDeps;
  /** Reservations that were settled or released; each is given back at most once. */
  readonly #closed = new WeakSet<Reservation>();

  constructor(deps: QuotaDeps) {
    this.#deps = deps;
  }

  /**
   * Takes a unit. With an Idempotency-Key that already holds one today, shares that. Rejects with `unavailable`.
   *
   * Before it refuses, it looks whether the terms have changed, so an upgrade holds from the next request on.
   */
  async reserve(
    caller: Caller,
    options: { readonly idempotencyKey?: string | undefined } = {},
  ): Promise<ReserveResult> {
    const now = this.#deps.clock();
    this.#deps.onReserve(now);
    const result = await this.#reserveOn(caller, now, options.idempotencyKey);
    if (result.granted) return result;
    const terms = await this.#deps.refreshTerms(caller);
    if (terms === undefined || !couldGrant(terms, caller.terms)) return result;
    return this.#reserveOn({ ...caller, terms }, now, options.idempotencyKey);
  }

  /** Keeps the unit: the request was answered. A later {@link Quota.release} does nothing. */
  settle(reservation: Reservation): void {
    this.#closed.add(reservation);
  }

  /** Gives the unit back to its own day, unless other requests with the same Idempotency-Key hold it. Once at most. */
  async release(reservation: Reservation): Promise<UsageState> {
    const kind = this.#closed.has(reservation) ? 'read' : 'release';
    this.#closed.add(reservation);
    const { used } = await this.#deps.batcher.submit({ ...reservation, kind });
    return usageState(reservation.day, used, reservation.limit);
  }

  /** Today's usage. Rejects with `unavailable`. */
  async usage({ organizationId, terms }: Caller): Promise<UsageState> {
    const { day } = quotaDayAt(this.#deps.clock());
    const { used } = await this.#deps.batcher.submit({ kind: 'read', organizationId, day });
    return usageState(day, used, terms.quotaLimit);
  }

  async #reserveOn(caller: Caller, now: Date, idempotencyKey: string | undefined): Promise<ReserveResult> {
    const { organizationId, apiKeyId, terms } = caller;
    const { day } = quotaDayAt(now);
    const limit = terms.quotaLimit;
    const cap = isEnforced(this.#deps.enforcement, terms, now) ? limit : null;
    const unit = { organizationId, apiKeyId, day, idempotencyKey };
    const { isGranted, used } = await this.#deps.batcher.submit({ ...unit, kind: 'reserve', cap });
    const usage = usageState(day, used, limit);
    return isGranted ? { granted: true, reservation: { ...unit, limit }, usage } : { granted: false, usage };
  }
}

/** Whether terms could grant what others refused: with another limit, or with a grace. */
function couldGrant(terms: Terms, before: Terms): boolean {
  const isOtherLimit = terms.quotaLimit !== before.quotaLimit;
  return isOtherLimit || terms.status !== before.status || terms.graceUntil?.getTime() !== before.graceUntil?.getTime();
}

function usageState(quotaDay: string, used: number, limit: number | null): UsageState {
  const { resetAt } = quotaDayAt(new Date(`${quotaDay}T00:00:00Z`));
  return { quotaDay, used, limit, remaining: limit === null ? null : Math.max(0, limit - used), resetAt };
}
