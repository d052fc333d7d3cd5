import { getWord } from '../../database/tables/tables.ts';
import type {
  WebhookAttemptRow,
  WebhookDeliveryRow,
  WebhookEndpointRow,
  WebhookEventRow,
} from '../../database/tables/webhook-tables.ts';
import { ENDPOINT_STATES } from '../endpoints/endpoint.ts';
import {
  type Attempt,
  type ClaimedDelivery,
  DELIVERY_KINDS,
  OUTCOMES,
  type Settlement,
  type Target,
} from './delivery-queue.ts';
import { type EndpointStanding, endedAtMs, stateAfter } from './endpoint-outcomes.ts';

/** A claimed delivery with its event, as both databases answer. */
export type ClaimedRow = Pick<WebhookDeliveryRow, 'id' | 'kind' | 'endpoint_id' | 'attempts' | 'event_id'> &
  Pick<WebhookEventRow, 'topic' | 'occurred_at' | 'data'>;

/** An endpoint, as far as turns need it. */
export type TargetRow = Pick<
  WebhookEndpointRow,
  'id' | 'url' | 'state' | 'state_changed_at' | 'consecutive_failures' | 'sealed_secret'
>;

export function claimedFromRow(row: ClaimedRow, claimedUntil: Date): ClaimedDelivery {
  const { event_id: id, topic, occurred_at: occurredAt, data } = row;
  return {
    id: row.id,
    kind: getWord(DELIVERY_KINDS, row.kind),
    endpointId: row.endpoint_id,
    attempt: row.attempts + 1,
    claimedUntil,
    event: { id, topic, occurredAt: new Date(occurredAt), data },
  };
}

export function targetFromRow(row: TargetRow): Target {
  return { id: row.id, url: row.url, state: getWord(ENDPOINT_STATES, row.state), sealedSecret: row.sealed_secret };
}

export function standingFromRow(row: TargetRow): EndpointStanding {
  const state = getWord(ENDPOINT_STATES, row.state);
  return { state, stateChangedAt: row.state_changed_at, consecutiveFailures: row.consecutive_failures };
}

export function attemptFromRow(row: Omit<WebhookAttemptRow, 'delivery_id'>): Attempt {
  return {
    attempt: row.attempt,
    startedAt: new Date(row.started_at),
    durationMs: row.duration_ms,
    outcome: getWord(OUTCOMES, row.outcome),
    status: row.status,
    message: row.message,
    answer: row.answer,
  };
}

/** The columns that a settlement writes, of the delivery and of its attempt. */
export function columnsOf(settlement: Settlement) {
  const { delivery, attempt, nextAt } = settlement;
  const endedAt = endedAtMs(attempt);
  return {
    id: delivery.id,
    attempt: attempt.attempt,
    state: stateAfter(settlement),
    dueAt: nextAt?.getTime() ?? endedAt,
    finishedAt: nextAt === undefined ? endedAt : null,
    startedAt: attempt.startedAt.getTime(),
    durationMs: attempt.durationMs,
    outcome: attempt.outcome,
    status: attempt.status,
    message: attempt.message,
    answer: attempt.answer,
  };
}
