import { resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { monotonicFactory } from 'ulid';
import { openMailer } from '../../../api/accounts/mail/mailer.ts';
import type { ControlDatabase } from '../../../api/database/control-database.ts';
import { EventPublisher } from '../../../api/webhooks/events/publish-events.ts';
import { webhookCleanup } from '../../../api/webhooks/queue/cleanup.ts';
import { WebhookMetrics } from '../../../api/webhooks/webhook-metrics.ts';
import { WebhookService } from '../../../api/webhooks/webhook-service.ts';
import type { ObjectStore } from '../../../storage/object-store.ts';
import type { CommandContext } from '../../cli/command-context.ts';
import { configuredSecretKeys } from '../../config/accounts/secret-keys-file.ts';
import { duckdbSettings } from '../../config/configured-duckdb.ts';
import { isOfferedBy, openDispatcher, openOutbound } from '../../config/service/configured-webhooks.ts';
import { logDispatcherEvent, logPublisherEvent } from './log-webhooks.ts';

export interface RunningWebhooksDeps {
  readonly database: ControlDatabase;
  readonly store: ObjectStore;
  readonly log: Logger;
  /** Where their metrics are registered. */
  readonly registry: Registry;
}

export interface RunningWebhooks {
  /** Finishes what is under way, within the dispatcher's time. */
  readonly stop: () => Promise<void>;
}

/** Begins to send webhooks, until they are stopped. Rejects with `configuration` where secrets can't be opened. */
export async function startWebhooks(
  context: CommandContext,
  { database, store, log, registry }: RunningWebhooksDeps,
): Promise<RunningWebhooks> {
  const { config, clock, toolVersion } = context;
  const newId = monotonicFactory();
  const name = `dsp_${newId()}`;
  const keys = await configuredSecretKeys(config);
  const outbound = openOutbound(config, toolVersion);
  const mailer = await openMailer({
    smtp: config.SMTP,
    from: config.MAIL_FROM,
    folder: resolve(config.MAIL),
    timeoutMs: config.MAIL_TIMEOUT_MS,
    newId,
    log,
  });
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
    duckdb: duckdbSettings(config),
    workFolder: resolve(config.WORK),
    onEvent: (event) => logPublisherEvent(log, event),
  });
  const service = new WebhookService(
    { catalogPollMs: config.POLL_SECONDS * 1000, catalogRetryMaxMs: config.POLL_RETRY_MAX_SECONDS * 1000 },
    {
      database: database.kysely,
      dispatcher,
      publisher,
      cleanup: webhookCleanup(database.kysely, log),
      mailer,
      isOffered: isOfferedBy(config),
      clock,
      newId,
      sleep: async (ms, signal) => void (await wait(ms, undefined, { signal }).catch(() => undefined)),
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
