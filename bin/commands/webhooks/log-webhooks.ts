import type { Logger } from 'pino';
import type { DispatcherEvent } from '../../../api/webhooks/delivery/dispatcher-options.ts';
import type { PublisherEvent } from '../../../api/webhooks/events/publish-events.ts';
import type { Outcome } from '../../../api/webhooks/queue/delivery.ts';
import { messageFromError } from '../../../runtime/errors.ts';

/** Logs what became of a delivery or of an endpoint. */
export function logDispatcherEvent(log: Logger, event: DispatcherEvent): void {
  switch (event.type) {
    case 'attempted': {
      const { deliveryId, endpointId, kind, attempt, outcome, status, durationMs } = event;
      const fields = { delivery_id: deliveryId, endpoint_id: endpointId, kind, attempt, outcome, status };
      log[levelOf(outcome)]({ ...fields, duration_ms: Math.round(durationMs) }, 'a delivery was attempted');
      return;
    }
    case 'activated':
      log.info({ endpoint_id: event.endpointId }, 'an endpoint is active');
      return;
    case 'revoked':
      log.warn({ endpoint_id: event.endpointId }, 'an endpoint was revoked');
      return;
    case 'dropped':
      log.info({ endpoint_id: event.endpointId, deliveries: event.deliveries }, 'deliveries were dropped');
      return;
    case 'put_off': {
      const fields = { endpoint_id: event.endpointId, reason: messageFromError(event.error) };
      log.error(fields, 'deliveries wait for a reason of ours');
      return;
    }
    case 'trouble': {
      const fields = { reason: messageFromError(event.error), retry_ms: event.retryMs };
      log.error(fields, 'the control database does not do its work; deliveries wait');
      return;
    }
    case 'recovered':
      log.info('deliveries go on');
      return;
  }
}

/** A night may have 100,000 deliveries that arrive. */
function levelOf(outcome: Outcome): 'debug' | 'info' | 'warn' {
  switch (outcome) {
    case 'delivered':
      return 'debug';
    case 'blocked':
      return 'warn';
    default:
      return 'info';
  }
}

/** Logs what the follower of published changes did; what failed is told by whoever tries again. */
export function logPublisherEvent(log: Logger, event: PublisherEvent): void {
  switch (event.type) {
    case 'begun':
      log.info({ day: event.day }, 'events begin after this day');
      return;
    case 'published': {
      const { day, durationMs, events, deliveries } = event;
      log.info({ day, duration_ms: durationMs, events, deliveries }, 'a night was turned into events');
      return;
    }
    case 'skipped':
      log.warn({ from: event.from, to: event.to }, 'nights older than 30 days are not told of');
      return;
    case 'failed':
      return;
  }
}
