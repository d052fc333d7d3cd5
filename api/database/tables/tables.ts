import type { Kysely, Transaction as KyselyTransaction } from 'kysely';
import type { OAuthTables, PeopleTables } from './people-tables.ts';
import type { WebhookTables } from './webhook-tables.ts';

/**
 * Rows as Kysely types; migrations/ creates the tables. Instants are Unix milliseconds, days `YYYY-MM-DD`, ids a prefix
 * and a ULID, except for {@link StoredInstant}.
 */
export interface ControlTables extends OAuthTables, PeopleTables, WebhookTables {
  readonly organizations: OrganizationRow;
  readonly subscriptions: SubscriptionRow;
  readonly api_keys: ApiKeyRow;
  readonly integrations: IntegrationRow;
  readonly integration_sites: IntegrationSiteRow;
  readonly integration_checks: IntegrationCheckRow;
  readonly daily_usage: DailyUsageRow;
  readonly idempotency_keys: IdempotencyKeyRow;
  readonly request_counts: RequestCountsRow;
  readonly audit_log: AuditRow;
  readonly service_values: ServiceValueRow;
}

export type Database = Kysely<ControlTables>;
/** For changes of several statements. */
export type Transaction = KyselyTransaction<ControlTables>;

export interface OrganizationRow {
  readonly id: string;
  readonly name: string;
  readonly created_at: number;
  /** Receives notices; null: none. */
  readonly email: string | null;
  /** The person who created it; null: an operator. */
  readonly created_by: string | null;
}

/** At most one row per organization; without one it is on Community. */
export interface SubscriptionRow {
  readonly organization_id: string;
  readonly plan: string;
  readonly plan_version: number;
  readonly status: string;
  /** Overrides of the plan, as JSON. */
  readonly contract: string;
  readonly period_end: number | null;
  readonly grace_until: number | null;
  readonly changed_at: number;
}

/** One row per key ever issued, without the key itself. */
export interface ApiKeyRow {
  readonly id: string;
  readonly organization_id: string;
  /** SHA-256 in hex. */
  readonly hash: string;
  readonly name: string;
  readonly last_four: string;
  readonly created_at: number;
  readonly last_used_at: number | null;
  readonly revoked_at: number | null;
  /** From then on the key is unknown; null: never. */
  readonly expires_at: number | null;
}

/** One row per declared page; removed ones stay. */
export interface IntegrationRow {
  readonly id: string;
  readonly organization_id: string;
  readonly name: string;
  /** Normalised. */
  readonly url: string;
  /** Registrable domain of the page. */
  readonly domain: string;
  /** `pending`, `verified`, `at_risk`, `lapsed`, `rejected` or `removed`. */
  readonly state: string;
  readonly state_changed_at: number;
  /** Consecutive failed checks, and the time of the first. */
  readonly failures: number;
  readonly first_failed_at: number | null;
  /** The newest check's time and reason. */
  readonly checked_at: number | null;
  readonly reason: string | null;
  /** Why it isn't verified, as text; null: no problem. */
  readonly problem: string | null;
  /** The next check; null: only on request. */
  readonly due_at: number | null;
  /** End of its quota bonus, `NO_END_MS` if open; null: never had one. */
  readonly bonus_until: number | null;
  /** A notice still to be sent; null: none. */
  readonly notice: string | null;
  /** The last requested check, and the number requested on that UTC day. */
  readonly asked_at: number | null;
  readonly asked_checks: number;
  readonly created_at: number;
}

/** One row per registrable domain of a declared page. */
export interface IntegrationSiteRow {
  readonly domain: string;
  /** The only organization with verified or at-risk integrations there; null: none. */
  readonly organization_id: string | null;
  /** The running check and the end of its claim; null: none. */
  readonly claimed_by: string | null;
  readonly claimed_until: number | null;
}

/** One row per finished check within the retention. */
export interface IntegrationCheckRow {
  readonly id: string;
  readonly integration_id: string;
  readonly checked_at: number;
  readonly duration_ms: number;
  /** 1: requested; 0: scheduled. */
  readonly asked: number;
  readonly reason: string;
  readonly message: string;
  /** HTTP status; null without a response. */
  readonly status: number | null;
  /** After redirects. */
  readonly final_url: string | null;
  /** `link`, `badge` or `embed`, its target and text; null: not found. */
  readonly found_kind: string | null;
  readonly found_href: string | null;
  readonly found_text: string | null;
  /** The integration's state after this check. */
  readonly state: string;
}

/** One row per organization and UTC day with usage. */
export interface DailyUsageRow {
  readonly organization_id: string;
  readonly day: string;
  readonly used: number;
  /** Of the last reservation; null: none. */
  readonly cap: number | null;
  /** Units granted by the last statement; PostgreSQL's statement returns it. */
  readonly granted: number;
}

/** One row per UTC day, API key, Idempotency-Key and effective request that hold a unit. */
export interface IdempotencyKeyRow {
  readonly day: string;
  readonly api_key_id: string;
  readonly key: string;
  /** A hash of the effective request. */
  readonly request: string;
  readonly organization_id: string;
  /** Reservations not released; at 0 the row and its unit go. */
  readonly holders: number;
}

/** One row per organization, UTC day, API key, route and client source. */
export interface RequestCountsRow {
  readonly organization_id: string;
  readonly day: string;
  readonly api_key_id: string;
  /** As documented; `unknown` for no route. */
  readonly route: string;
  readonly client_source: string;
  readonly requests: number;
  /** Taken and not released. */
  readonly units: number;
  readonly not_modified: number;
  /** Responses on a unit that the Idempotency-Key held. */
  readonly shared_units: number;
  readonly rate_limited: number;
  readonly quota_exceeded: number;
  /** Other 4xx. */
  readonly client_errors: number;
  readonly server_errors: number;
  readonly aborted: number;
}

/** One row per action; never changed. */
export interface AuditRow {
  readonly id: string;
  readonly at: number;
  readonly organization_id: string | null;
  readonly actor: string;
  readonly action: string;
  readonly subject_id: string | null;
  /** JSON, without secrets. */
  readonly details: string;
  /** Null: this machine, or an entry of an older version. */
  readonly origin: string | null;
}

export interface ServiceValueRow {
  readonly name: string;
  readonly value: string;
  readonly changed_at: number;
}

/** Throws for other values. */
export function parseEnum<const V extends string>(values: readonly V[], text: string): V {
  const value = values.find((candidate) => candidate === text);
  if (value === undefined) throw new Error(`'${text}' is not one of ${values.join(', ')}`);
  return value;
}

export function dateOrNull(milliseconds: number | null): Date | null {
  return milliseconds === null ? null : new Date(milliseconds);
}
