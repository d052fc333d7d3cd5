import { resolve } from 'node:path';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { ControlDatabase } from '../../../api/database/control-database.ts';
import type { DispatcherEvent } from '../../../api/webhooks/delivery/dispatcher-options.ts';
import { EventPublisher, type PublisherEvent } from '../../../api/webhooks/events/publish-events.ts';
import { webhookCleanup } from '../../../api/webhooks/queue/cleanup.ts';
import type { Outcome } from '../../../api/webhooks/queue/delivery.ts';
import { WebhookMetrics } from '../../../api/webhooks/webhook-metrics.ts';
import { WebhookService } from '../../../api/webhooks/webhook-service.ts';
import { messageFromError } from '../../../runtime/errors.ts';
import { pause } from '../../../runtime/retry.ts';
import { newId } from '../../../runtime/ulid.ts';
import type { ObjectStore } from '../../../storage/object-store.ts';
import type { CommandContext } from '../../cli/command.ts';
import { openConfiguredMailer } from '../../config/configured-people.ts';
import { isOfferedBy, openDispatcher, openOutbound } from '../../config/configured-webhooks.ts';
import { configuredSecretKeys } from '../../config/secret-keys-file.ts';

export interface RunningWebhooksDeps {
  readonly database: ControlDatabase;
  readonly store: ObjectStore;
  readonly log: Logger;
  readonly registry: Registry;
}

export interface RunningWebhooks {
  /** Finishes running deliveries within the dispatcher's timeout. */
  readonly stop: () => Promise<void>;
}

/** Starts sending webhooks. Rejects with `configuration` if secrets can't be opened. */
export async function startWebhooks(
  context: CommandContext,
  { database, store, log, registry }: RunningWebhooksDeps,
): Promise<RunningWebhooks> {
  const { config, clock, toolVersion } = context;
  const name = newId('dsp');
  const keys = await configuredSecretKeys(config);
  const outbound = openOutbound(config, toolVersion);
  const mailer = await openConfiguredMailer(config, log);
  const { dispatcher, queue } = openDispatcher(context, {
    database,
    keys,
    outbound,
    name,
    onEvent: (event) => {
      metrics.onEvent(event);
      logDispatcherEvent(log, event);
    },
  });
  const metrics = new WebhookMetrics(registry, {
    inFlight: () => dispatcher.inFlight,
    backlog: (now) => queue.backlog(now),
    clock,
  });
  const publisher = new EventPublisher({
    id: name,
    store,
    control: database,
    clock,
    duckdb: config.duckdb,
    workFolder: resolve(config.places.work),
    onEvent: (event) => logPublisherEvent(log, event),
  });
  const service = new WebhookService(
    { catalogPollMs: config.view.pollMs, catalogRetryMaxMs: config.view.retryMaxMs },
    {
      database: database.kysely,
      dispatcher,
      publisher,
      cleanup: webhookCleanup(database.kysely, log),
      mailer,
      isOffered: isOfferedBy(config),
      clock,
      sleep: pause,
      log,
    },
  );
  service.start();
  log.info({ dispatcher: name }, 'sending webhooks');
  return {
    async stop() {
      await service.stop();
      mailer.close();
      await outbound.close();
    },
  };
}

function logDispatcherEvent(log: Logger, event: DispatcherEvent): void {
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
      log.error(fields, 'deliveries were postponed because of an internal error');
      return;
    }
    case 'trouble': {
      const fields = { reason: messageFromError(event.error), retry_ms: event.retryMs };
      log.error(fields, 'the control database does not work; deliveries wait');
      return;
    }
    case 'recovered':
      log.info('deliveries continue');
      return;
  }
}

/** A night may have 100,000 successful deliveries. */
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

/** A failure is logged where it is retried. */
function logPublisherEvent(log: Logger, event: PublisherEvent): void {
  switch (event.type) {
    case 'begun':
      log.info({ day: event.day }, 'events start after this day');
      return;
    case 'published': {
      const { day, durationMs, events, deliveries, skipped } = event;
      log.info({ day, duration_ms: durationMs, events, deliveries }, 'a night was turned into events');
      for (const { endpointId, unknownFilters } of skipped) {
        const fields = { day, endpoint_id: endpointId, filters: unknownFilters };
        log.error(fields, 'an endpoint gets no events because this version does not know its filters: upgrade it');
      }
      return;
    }
    case 'skipped':
      log.warn({ from: event.from, to: event.to }, 'nights older than 30 days send no events');
      return;
    case 'failed':
      return;
  }
}
