/**
 * An endpoint: where an organization is told what changed. Its life (specification "Webhook endpoints"):
 *
 *     registered ─ping answered 2xx─► active ─20 deliveries in a row failed─► revoked
 *         ▲                             │                                        │
 *         │◄────────── enable ──────────┼────────────────────────────────────────┘
 *         │                             │ the plan lost webhooks (also while registered)
 *         └─── the plan has them again ─┴─► suspended              any ─remove─► removed
 *
 * Events go to active endpoints alone, and what happened while an endpoint was not active is never sent later: leaving `active`
 * drops what waits.
 */
import { getWord } from '../../database/tables/tables.ts';
import type { WebhookEndpointRow } from '../../database/tables/webhook-tables.ts';
import { isTopic, type Topic } from '../topics/topics.ts';
import { type Filters, FiltersSchema } from './filters.ts';

export const ENDPOINT_STATES = ['registered', 'active', 'revoked', 'suspended', 'removed'] as const;
export type EndpointState = (typeof ENDPOINT_STATES)[number];

/** `each`: a delivery per event; `digest`: one per topic and night. */
export const ENDPOINT_MODES = ['each', 'digest'] as const;
export type EndpointMode = (typeof ENDPOINT_MODES)[number];

/** Endpoints that an organization may have, removed ones aside (specification "Webhook endpoints"). */
export const ENDPOINTS_MAX = 10;
/** Deliveries in a row that fail before an endpoint is revoked (specification "Webhook endpoints"). */
export const FAILURES_MAX = 20;

export interface Endpoint {
  readonly id: string;
  readonly organizationId: string;
  readonly url: string;
  readonly description: string;
  readonly topics: readonly Topic[];
  readonly filters: Filters;
  readonly mode: EndpointMode;
  readonly state: EndpointState;
  readonly stateChangedAt: Date;
  /** Deliveries of events that failed since the last one that did not; of a revoked endpoint those that led to it. */
  readonly consecutiveFailures: number;
  readonly secretChangedAt: Date;
  readonly createdAt: Date;
}

/** An endpoint as it is stored, without its secret. */
export function endpointFromRow(row: WebhookEndpointRow): Endpoint {
  const state = getWord(ENDPOINT_STATES, row.state);
  return {
    id: row.id,
    organizationId: row.organization_id,
    url: row.url,
    description: row.description,
    topics: (JSON.parse(row.topics) as readonly string[]).filter(isTopic), // We wrote it; a later version may know more.
    filters: FiltersSchema.parse(JSON.parse(row.filters)),
    mode: getWord(ENDPOINT_MODES, row.mode),
    state,
    stateChangedAt: new Date(row.state_changed_at),
    consecutiveFailures: state === 'revoked' ? FAILURES_MAX : row.consecutive_failures, // The count begins anew with the state.
    secretChangedAt: new Date(row.secret_changed_at),
    createdAt: new Date(row.created_at),
  };
}
