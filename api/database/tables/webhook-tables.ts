/** Endpoints, what they are told, and how that went. */
export interface WebhookTables {
  readonly webhook_endpoints: WebhookEndpointRow;
  readonly webhook_events: WebhookEventRow;
  readonly webhook_deliveries: WebhookDeliveryRow;
  readonly webhook_attempts: WebhookAttemptRow;
  readonly webhook_progress: WebhookProgressRow;
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
