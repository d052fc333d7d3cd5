import type { Awaitable } from '../../runtime/awaitable.ts';
import type { HealthProblem } from '../../runtime/health-problem.ts';
import type { Actor } from './actor.ts';
import type { AuditedChanges } from './audit.ts';
import type { Way } from './authentication.ts';
import type { BurstState } from './burst/rate-limiter.ts';
import type { Account, Caller, UsageState } from './caller.ts';
import type { Reservation, ReserveResult, UnitFor } from './quota/quota.ts';
import type { UsageReport } from './request-counts/read-usage.ts';
import type { DayRange } from './request-counts/request-counts.ts';
import type { FinishedRequest } from './request-counts/request-recorder.ts';

/**
 * Organizations, keys, plans and usage, as the API and the command line see them (specification "Access"). While the control
 * database doesn't answer, every method that needs it rejects with `unavailable`, and nothing is granted; one whose value may be
 * there at once may also throw it.
 */
export interface Accounts {
  /**
   * Who a bearer token belongs to: an API key, or by the way of MCP an access token of a connection too; default: `api`. Undefined for
   * a missing, malformed, unknown or revoked one, without a difference.
   */
  authenticate(bearerToken: string | undefined, way?: Way): Awaitable<Caller | undefined>;
  /** Counts a request against the organization's limit per minute, all its keys together. */
  readonly burst: { hit(caller: Caller): Awaitable<BurstState> };
  /**
   * Counts a request of one key to one route against that route's limit per minute, or the organization's where that is larger;
   * unless it `isFixed`; always enforced (specification "Backstop").
   */
  readonly backstop: {
    hit(
      caller: Caller,
      of: { readonly route: string; readonly limit: number; readonly isFixed?: boolean },
    ): Awaitable<BurstState>;
  };
  /** Counts what a person or a client address does against a limit per minute that no plan raises; always enforced. */
  readonly limits: {
    hit(subject: string, of: { readonly what: string; readonly perMinute: number }): Awaitable<BurstState>;
  };
  /** The units of a UTC day that the organization has used and may use; see `Quota`. */
  readonly quota: {
    reserve(caller: Caller, unitFor?: UnitFor): Promise<ReserveResult>;
    settle(reservation: Reservation): void;
    release(reservation: Reservation): Promise<UsageState>;
    usage(caller: Caller): Promise<UsageState>;
  };
  /** The body of `GET /v1/account`. */
  accountObject(caller: Caller): Promise<Account>;
  /** Counts a request once it is over: in memory, written a few seconds later (specification "Usage details"). */
  countRequest(request: FinishedRequest): void;
  /**
   * What an organization used on these days; nothing for an unknown one. Rejects with `usage` where the range makes no sense.
   */
  readUsage(organizationId: string, range: DayRange): Promise<UsageReport>;
  /**
   * The same in detail, as pieces of a CSV (RFC 4180) with a line per day, key, route and client source: the header, then some
   * lines at a time, so that it can be sent on while it is read.
   */
  usageCsv(organizationId: string, range: DayRange): AsyncIterable<string>;
  /**
   * Organizations and keys as an actor reads and changes them, with the functions of organizations/; a change is in force here at
   * once.
   */
  as(actor: Actor): AuditedChanges;
  /** Forgets what is remembered of keys and connections: somebody has changed them otherwise than with `as`. */
  forgetCredentials(): void;
  /** Why the control database could not be read or written when it was last needed; undefined where it could. Costs nothing. */
  readonly problem: HealthProblem | undefined;
  /** Why requests per minute are not counted together with other processes; undefined where they are, or need not be. */
  readonly countingProblem: HealthProblem | undefined;
  /** A secret of the service that is made once and shared by all who use the control database. */
  secret(name: 'file-links' | 'console-forms'): Promise<Buffer>;
  /** Finishes the work under way and closes the connections that were opened for these accounts. */
  close(): Promise<void>;
}
