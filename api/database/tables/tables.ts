import type { Kysely, Transaction as KyselyTransaction } from 'kysely';
import type { OAuthTables, PeopleTables } from './people-tables.ts';
import type { WebhookTables } from './webhook-tables.ts';

/**
 * The rows of the control database, as Kysely types, an interface per table; the tables are made in migrations/. Instants are
 * Unix milliseconds, days `YYYY-MM-DD`, ids a prefix and a ULID. SQLite and PostgreSQL hold the same, except for the instants of
 * the tables that better-auth writes, see {@link StoredInstant}.
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

/** What statements run on: the control database as such, or a transaction on it. */
export type Database = Kysely<ControlTables>;
/** For what takes several statements that are one change. */
export type Transaction = KyselyTransaction<ControlTables>;

/** One row per organization. */
export interface OrganizationRow {
  readonly id: string;
  readonly name: string;
  readonly created_at: number;
  /** Where it is told what concerns it; null: nowhere. */
  readonly email: string | null;
  /** The person who made it for itself; null: an operator. */
  readonly created_by: string | null;
}

/** At most one row per organization; without one it is on Community. */
export interface SubscriptionRow {
  readonly organization_id: string;
  readonly plan: string;
  readonly plan_version: number;
  readonly status: string;
  /** What the contract says beside the plan, as JSON. */
  readonly contract: string;
  readonly period_end: number | null;
  readonly grace_until: number | null;
  readonly changed_at: number;
}

/** One row per key ever issued; the key itself is nowhere. */
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

/** One row per page that an organization declared; removed ones stay. */
export interface IntegrationRow {
  readonly id: string;
  readonly organization_id: string;
  readonly name: string;
  /** Normalised. */
  readonly url: string;
  /** The registrable domain that it lies on. */
  readonly domain: string;
  /** `pending`, `verified`, `at_risk`, `lapsed`, `rejected` or `removed`. */
  readonly state: string;
  readonly state_changed_at: number;
  /** Checks in a row that did not find what they look for, and when the first of them was. */
  readonly failures: number;
  readonly first_failed_at: number | null;
  /** The newest check: when it was, and its reason. */
  readonly checked_at: number | null;
  readonly reason: string | null;
  /** What keeps it from being verified, in words; null: nothing. */
  readonly problem: string | null;
  /** When it is checked next; null: only when somebody asks. */
  readonly due_at: number | null;
  /** Until when it counts for the quota, `NO_END_MS` while nothing has ended it; null: it never did. */
  readonly bonus_until: number | null;
  /** What its owner is still to be told; null: nothing. */
  readonly notice: string | null;
  /** When somebody last asked for a check, and how many were asked for on that UTC day. */
  readonly asked_at: number | null;
  readonly asked_checks: number;
  readonly created_at: number;
}

/** One row per registrable domain on which a page was ever declared. */
export interface IntegrationSiteRow {
  readonly domain: string;
  /** The one organization whose integrations are verified or at risk there; null: none. */
  readonly organization_id: string | null;
  /** The check that is under way there, and when its claim ends; null: none is. */
  readonly claimed_by: string | null;
  readonly claimed_until: number | null;
}

/** One row per check that ended, for as long as it is kept. */
export interface IntegrationCheckRow {
  readonly id: string;
  readonly integration_id: string;
  readonly checked_at: number;
  readonly duration_ms: number;
  /** 1: somebody asked for it; 0: it was due. */
  readonly asked: number;
  readonly reason: string;
  readonly message: string;
  /** The answer's HTTP status; null where there was none. */
  readonly status: number | null;
  /** Where the answer came from, behind all redirects. */
  readonly final_url: string | null;
  /** `link`, `badge` or `embed`, where it leads and what it shows; null: nothing was found. */
  readonly found_kind: string | null;
  readonly found_href: string | null;
  readonly found_text: string | null;
  /** Of the integration, after this check. */
  readonly state: string;
}

/** One row per organization and UTC day on which it asked. */
export interface DailyUsageRow {
  readonly organization_id: string;
  readonly day: string;
  /** Units counted. */
  readonly used: number;
  /** The cap of the last reservation; null: there was none. */
  readonly cap: number | null;
  /** Units that the last statement on this row was granted: the answer of PostgreSQL's statement; SQLite's doesn't need it. */
  readonly granted: number;
}

/** One row per UTC day, API key, Idempotency-Key and effective request for which a unit is held. */
export interface IdempotencyKeyRow {
  readonly day: string;
  readonly api_key_id: string;
  readonly key: string;
  /** A hash of the effective request. */
  readonly request: string;
  readonly organization_id: string;
  /** Reservations made with it and not released; with none left the row and its unit go. */
  readonly holders: number;
}

/** One row per organization, UTC day, API key, route and client source from which a request came. */
export interface RequestCountsRow {
  readonly organization_id: string;
  readonly day: string;
  readonly api_key_id: string;
  /** As in the documentation; `unknown` for what is no route. */
  readonly route: string;
  readonly client_source: string;
  readonly requests: number;
  /** Units that they took and did not give back. */
  readonly units: number;
  readonly not_modified: number;
  /** Answered on a unit that their Idempotency-Key held. */
  readonly shared_units: number;
  readonly rate_limited: number;
  readonly quota_exceeded: number;
  /** Other 4xx. */
  readonly client_errors: number;
  readonly server_errors: number;
  readonly aborted: number;
}

/** One row per thing that somebody did; rows are only added. */
export interface AuditRow {
  readonly id: string;
  readonly at: number;
  readonly organization_id: string | null;
  readonly actor: string;
  readonly action: string;
  readonly subject_id: string | null;
  /** JSON, without secrets. */
  readonly details: string;
  /** The address that it was done from; null: this machine, or it wasn't noted yet. */
  readonly origin: string | null;
}

/** One row per thing that the service itself has to remember. */
export interface ServiceValueRow {
  readonly name: string;
  readonly value: string;
  readonly changed_at: number;
}

/** One of a closed set of words; throws where the database holds another. */
export function getWord<const W extends string>(words: readonly W[], text: string): W {
  const word = words.find((candidate) => candidate === text);
  if (word === undefined) throw new Error(`'${text}' is none of ${words.join(', ')}`);
  return word;
}

/** An instant of a column that may be null. */
export function dateOrNull(milliseconds: number | null): Date | null {
  return milliseconds === null ? null : new Date(milliseconds);
}
