import type { Day } from '../../../runtime/day.ts';
import type { DayRange } from './day-range.ts';
import type { RequestCounts } from './request-counts.ts';

/**
 * What an organization used in a range of days. `units` of `total` and `days` are those of the daily quota, exact; everything
 * else is counted apart, so it lags by seconds, and a crash may lose seconds of it (specification "Usage details").
 */
export interface UsageReport extends DayRange {
  readonly organization_id: string;
  readonly total: RequestCounts;
  /** Every day of the range, oldest first, those without a request too. */
  readonly days: readonly DayUsage[];
  /** Keys that asked, most requests first. */
  readonly keys: readonly KeyUsage[];
  /** Routes that were asked, most requests first. */
  readonly routes: readonly RouteUsage[];
  /** With what kinds of credential was asked, most requests first. */
  readonly client_sources: readonly ClientSourceUsage[];
}

export interface DayUsage extends RequestCounts {
  readonly day: Day;
  /** The daily quota under which its last unit was taken; null: there was none, or nothing was taken. */
  readonly limit: number | null;
}

/** A key's or a connection's, also where it was revoked since. */
export interface KeyUsage extends RequestCounts {
  readonly key_id: string;
  readonly key_name: string;
  /** Empty for a connection. */
  readonly last_four: string;
  /** Date-time; null: it was not. */
  readonly revoked_at: string | null;
}

export interface RouteUsage extends RequestCounts {
  /** As in the documentation, such as `/v1/models/{id}`; `unknown` for whatever is no route to the caller. */
  readonly route: string;
}

export interface ClientSourceUsage extends RequestCounts {
  readonly client_source: string;
}
