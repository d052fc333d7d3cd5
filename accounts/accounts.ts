import type { Account, UsageState } from '../schemas/account.ts';
import type { BackstopRoute } from '../schemas/route-limits.ts';
import type { Administration } from './administration/administration.ts';
import type { BurstState } from './burst/window.ts';
import type { Caller } from './caller.ts';
import type { Reservation, ReserveResult } from './quota/quota.ts';

/**
 * Organizations, keys, plans and usage, as the API and the command line see them (DESIGN §8). Whatever needs the control
 * database rejects with `unavailable` where that doesn't answer; nothing is granted then.
 */
export interface Accounts {
  /** Who a bearer token belongs to. Undefined for a missing, malformed, unknown or revoked one: nothing tells them apart. */
  authenticate(bearerToken: string | undefined): Promise<Caller | undefined>;
  /** The organization's requests in the last 60 seconds, all keys together. */
  readonly burst: { hit(caller: Caller): Promise<BurstState> };
  /** The abuse backstop: one key's requests to one route in the last 60 seconds; always enforced. */
  readonly backstop: { hit(caller: Caller, route: BackstopRoute): Promise<BurstState> };
  /** The organization's data responses of a UTC day. */
  readonly quota: {
    reserve(caller: Caller, options?: { readonly idempotencyKey?: string | undefined }): Promise<ReserveResult>;
    settle(reservation: Reservation): void;
    release(reservation: Reservation): Promise<UsageState>;
    usage(caller: Caller): Promise<UsageState>;
  };
  /** The body of `GET /v1/account`. */
  accountObject(caller: Caller): Promise<Account>;
  readonly administration: Administration;
  /** Finishes what is under way and closes the connections. */
  close(): Promise<void>;
}
