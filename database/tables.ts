/**
 * The rows of the control database, as Kysely types, an interface per table; the tables are made in migrations/. Instants are
 * Unix milliseconds, days `YYYY-MM-DD`, ids a prefix and a ULID. SQLite and PostgreSQL hold the same.
 */
export interface ControlTables {
  readonly organizations: OrganizationRow;
  readonly subscriptions: SubscriptionRow;
  readonly api_keys: ApiKeyRow;
  readonly verified_integrations: VerifiedIntegrationRow;
  readonly daily_usage: DailyUsageRow;
  readonly idempotency_keys: IdempotencyKeyRow;
  readonly request_counts: RequestCountsRow;
  readonly audit_log: AuditRow;
  readonly service_values: ServiceValueRow;
  readonly webhook_endpoints: WebhookEndpointRow;
  readonly webhook_events: WebhookEventRow;
  readonly webhook_deliveries: WebhookDeliveryRow;
  readonly webhook_attempts: WebhookAttemptRow;
  readonly webhook_progress: WebhookProgressRow;
}

/** One row per organization. */
export interface OrganizationRow {
  readonly id: string;
  readonly name: string;
  readonly created_at: number;
  /** Where it is told what concerns it; null: nowhere. */
  readonly email: string | null;
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

/** One row per integration that was verified; it counts until `ended_at`. */
export interface VerifiedIntegrationRow {
  readonly id: string;
  readonly organization_id: string;
  readonly url: string;
  readonly verified_at: number;
  readonly ended_at: number | null;
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
}

/** One row per thing that the service itself has to remember. */
export interface ServiceValueRow {
  readonly name: string;
  readonly value: string;
  readonly changed_at: number;
}

/** One row per endpoint that an organization registered. */
export interface WebhookEndpointRow {
  readonly id: string;
  readonly organization_id: string;
  readonly url: string;
  readonly description: string;
  /** JSON array. */
  readonly topics: string;
  /** What of the topics it wants, as JSON. */
  readonly filters: string;
  /** `each`: a delivery per event; `digest`: one per topic and night. */
  readonly mode: string;
  /** The signing secret, encrypted. */
  readonly sealed_secret: string;
  readonly secret_changed_at: number;
  readonly state: string;
  readonly state_changed_at: number;
  /** Deliveries of events that failed since the last one that did not. */
  readonly consecutive_failures: number;
  /** What its owner is still to be told; null: nothing. */
  readonly notice: string | null;
  readonly created_at: number;
}

/** One row per event that at least one endpoint is told, for as long as it may be replayed. */
export interface WebhookEventRow {
  readonly id: string;
  readonly topic: string;
  /** The one endpoint that it is for: a ping's or a digest's; null: for all who want it. */
  readonly endpoint_id: string | null;
  readonly occurred_at: number;
  /** Of the change feed; null for a ping. */
  readonly seq: number | null;
  /** The body's `data`, as JSON text. */
  readonly data: string;
}

/** One row per event and endpoint, and one more for each time that it is replayed. */
export interface WebhookDeliveryRow {
  readonly id: string;
  readonly event_id: string;
  readonly endpoint_id: string;
  /** `event`, `replay` or `ping`. */
  readonly kind: string;
  /** `waiting`, `delivered`, `failed` or `dropped`. */
  readonly state: string;
  /** Attempts that ended. */
  readonly attempts: number;
  /** Of a waiting one: when its next attempt may begin; while somebody attempts it, when the claim ends. */
  readonly due_at: number;
  /** The dispatcher that attempts it. */
  readonly claimed_by: string | null;
  readonly created_at: number;
  readonly finished_at: number | null;
}

/** One row per attempt that ended. */
export interface WebhookAttemptRow {
  readonly delivery_id: string;
  /** From 1. */
  readonly attempt: number;
  readonly started_at: number;
  readonly duration_ms: number;
  /** `delivered`, or how it failed. */
  readonly outcome: string;
  /** The answer's HTTP status; null where there was none. */
  readonly status: number | null;
  readonly message: string | null;
  /** The beginning of the answer's body. */
  readonly answer: string | null;
}

/** How far the published changes have been turned into events: one row. */
export interface WebhookProgressRow {
  readonly name: string;
  /** The store's identity. */
  readonly record: string;
  /** The newest release that was done as a whole. */
  readonly day: string;
  /** The newest change that was done. */
  readonly seq: number;
  readonly claimed_by: string | null;
  readonly claimed_until: number | null;
}
