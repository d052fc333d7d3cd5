import Table from 'cli-table3';
import type { LoggedDelivery } from '../../../api/webhooks/administration/deliveries.ts';
import type { Attempt } from '../../../api/webhooks/queue/delivery.ts';
import { timestampFromDate } from '../../../runtime/day.ts';
import { paint } from '../../cli/paint.ts';

/** An attempt in a few words. */
export function describeAttempt(attempt: Attempt | undefined | null): string {
  if (attempt === undefined || attempt === null) return 'not attempted yet';
  const { outcome, status, message, durationMs } = attempt;
  if (outcome === 'delivered') return paint.green(`answered ${status} in ${Math.round(durationMs)} ms`);
  return paint.red(`failed: ${message ?? (status === null ? outcome : `${outcome} ${status}`)}`);
}

/** The last attempt of a delivery in a few words, or why there was none. */
function describeLast({ state, lastAttempt }: LoggedDelivery): string {
  const wasDropped = lastAttempt === null && state === 'dropped';
  return wasDropped ? 'not sent: the endpoint was not active' : describeAttempt(lastAttempt);
}

/** An attempt as the command line answers it; null for none. */
export function attemptJson(attempt: Attempt | undefined | null): Record<string, unknown> | null {
  if (attempt === undefined || attempt === null) return null;
  return {
    attempt: attempt.attempt,
    started_at: timestampFromDate(attempt.startedAt),
    duration_ms: attempt.durationMs,
    outcome: attempt.outcome,
    status: attempt.status,
    message: attempt.message,
    answer: attempt.answer,
  };
}

/** A delivery as the command line answers it. */
export function deliveryJson(delivery: LoggedDelivery): Record<string, unknown> {
  const { finishedAt, nextAttemptAt } = delivery;
  return {
    id: delivery.id,
    event_id: delivery.eventId,
    endpoint_id: delivery.endpointId,
    topic: delivery.topic,
    kind: delivery.kind,
    state: delivery.state,
    seq: delivery.seq,
    created_at: timestampFromDate(delivery.createdAt),
    finished_at: finishedAt === null ? null : timestampFromDate(finishedAt),
    next_attempt_at: nextAttemptAt === null ? null : timestampFromDate(nextAttemptAt),
    attempts: delivery.attempts,
    last_attempt: attemptJson(delivery.lastAttempt),
  };
}

/** A line per delivery. */
export function deliveryTable(deliveries: readonly LoggedDelivery[]): string {
  const head = ['id', 'topic', 'kind', 'state', 'attempts', 'created', 'last attempt'];
  const table = new Table({ head, style: { head: [], border: [] } });
  for (const delivery of deliveries) {
    const { id, topic, kind, state, attempts, createdAt } = delivery;
    table.push([id, topic, kind, state, attempts, timestampFromDate(createdAt), describeLast(delivery)]);
  }
  return table.toString();
}
