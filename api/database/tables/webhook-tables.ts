export interface WebhookTables {
  readonly webhook_endpoints: WebhookEndpointRow;
  readonly webhook_events: WebhookEventRow;
  readonly webhook_deliveries: WebhookDeliveryRow;
  readonly webhook_attempts: WebhookAttemptRow;
  readonly webhook_progress: WebhookProgressRow;
}

/** One row per endpoint. */
export interface WebhookEndpointRow {
  readonly id: string;
  readonly organization_id: string;
  readonly url: string;
  readonly description: string;
  /** JSON array. */
  readonly topics: string;
  /** Filters on the topics, as JSON. */
  readonly filters: string;
  /** `each`: a delivery per event; `digest`: one per topic and night. */
  readonly mode: string;
  /** The signing secret, encrypted. */
  readonly sealed_secret: string;
  readonly secret_changed_at: number;
  readonly state: string;
  readonly state_changed_at: number;
  /** Failed event deliveries since the last successful one. */
  readonly consecutive_failures: number;
  /** A notice still to be sent; null: none. */
  readonly notice: string | null;
  readonly created_at: number;
}

/** One row per event that can be replayed. */
export interface WebhookEventRow {
  readonly id: string;
  readonly topic: string;
  /** Of a ping or digest; null: all subscribed endpoints. */
  readonly endpoint_id: string | null;
  readonly occurred_at: number;
  /** Of the change feed; null for a ping. */
  readonly seq: number | null;
  /** The body's `data`, as JSON text. */
  readonly data: string;
}

/** One row per event and endpoint, plus one per replay. */
export interface WebhookDeliveryRow {
  readonly id: string;
  readonly event_id: string;
  readonly endpoint_id: string;
  /** `event`, `replay` or `ping`. */
  readonly kind: string;
  /** `waiting`, `delivered`, `failed` or `dropped`. */
  readonly state: string;
  /** Finished attempts. */
  readonly attempts: number;
  /** The earliest next attempt; during an attempt the end of its claim. */
  readonly due_at: number;
  /** The dispatcher of the current attempt. */
  readonly claimed_by: string | null;
  readonly created_at: number;
  readonly finished_at: number | null;
}

/** One row per finished attempt. */
export interface WebhookAttemptRow {
  readonly delivery_id: string;
  /** From 1. */
  readonly attempt: number;
  readonly started_at: number;
  readonly duration_ms: number;
  /** `delivered`, or the kind of failure. */
  readonly outcome: string;
  /** HTTP status; null without a response. */
  readonly status: number | null;
  readonly message: string | null;
  /** The beginning of the response body. */
  readonly answer: string | null;
}

/** One row: how far the feed was turned into events. */
export interface WebhookProgressRow {
  readonly name: string;
  /** The store's identity. */
  readonly record: string;
  /** The newest release completed. */
  readonly day: string;
  /** The newest change completed. */
  readonly seq: number;
  readonly claimed_by: string | null;
  readonly claimed_until: number | null;
}
