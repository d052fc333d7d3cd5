import { isLive } from '../../api/data/access/rights.ts';
import type { ControlDatabase } from '../../api/database/control-database.ts';
import { Dispatcher } from '../../api/webhooks/delivery/dispatcher.ts';
import {
  DISPATCHER_OPTIONS,
  type DispatcherEvent,
  type DispatcherOptions,
} from '../../api/webhooks/delivery/dispatcher-options.ts';
import { DeliveryLog } from '../../api/webhooks/delivery-log.ts';
import { EndpointAdministration } from '../../api/webhooks/endpoint-administration.ts';
import type { IsOffered } from '../../api/webhooks/endpoints/suspension.ts';
import type { Attempt } from '../../api/webhooks/queue/delivery.ts';
import { DeliveryQueue } from '../../api/webhooks/queue/delivery-queue.ts';
import { findUrlProblem } from '../../runtime/outbound/address-check.ts';
import { Outbound, type OutboundSettings } from '../../runtime/outbound/outbound.ts';
import { pause } from '../../runtime/retry.ts';
import { newId } from '../../runtime/ulid.ts';
import type { Config } from './config.ts';
import { operator, withDatabase } from './configured-accounts.ts';
import { configuredSecretKeys } from './secret-keys-file.ts';

export interface WebhookContext {
  readonly config: Config;
  readonly clock: () => Date;
  readonly toolVersion: string;
}

export interface OperatedWebhooks {
  readonly endpoints: EndpointAdministration;
  readonly log: DeliveryLog;
  /** Sends a delivery at once; resolves to its newest attempt, if any. */
  readonly sendNow: (deliveryId: string) => Promise<Attempt | undefined>;
}

export function withWebhooks<T>(context: WebhookContext, work: (webhooks: OperatedWebhooks) => Promise<T>): Promise<T> {
  const { config, clock } = context;
  return withDatabase(config, async (database) => {
    const keys = await configuredSecretKeys(config);
    const outbound = openOutbound(config, context.toolVersion);
    const deps = { database: database.kysely, clock };
    const dispatcher = openDispatcher(context, { database, keys, outbound, name: newId('cli'), onEvent: () => {} });
    try {
      return await work({
        endpoints: new EndpointAdministration(
          { ...deps, keys, isOffered: isOfferedBy(config), findUrlProblem: urlCheck(config) },
          operator(),
        ),
        log: new DeliveryLog(deps, operator()),
        sendNow: async (id) => (await dispatcher.dispatcher.sendNow(id))?.lastAttempt,
      });
    } finally {
      await outbound.close();
    }
  });
}

export interface OpenDispatcherDeps {
  readonly database: ControlDatabase;
  readonly keys: Awaited<ReturnType<typeof configuredSecretKeys>>;
  readonly outbound: Outbound;
  /** Unique, for claims. */
  readonly name: string;
  readonly onEvent: (event: DispatcherEvent) => void;
}

/** The configured dispatcher, not started, with its queue. */
export function openDispatcher(
  { config, clock, toolVersion }: WebhookContext,
  { database, keys, outbound, name, onEvent }: OpenDispatcherDeps,
): { readonly dispatcher: Dispatcher; readonly queue: DeliveryQueue } {
  const queue = new DeliveryQueue(database);
  const dispatcher = new Dispatcher(
    {
      name,
      queue,
      send: (request) => outbound.request(request),
      secrets: keys,
      userAgent: userAgent(toolVersion),
      clock,
      sleep: pause,
      onEvent,
    },
    dispatcherOptions(config),
  );
  return { dispatcher, queue };
}

/** Time that a claim outlives its attempt. */
const CLAIM_MARGIN_MS = DISPATCHER_OPTIONS.claimMs - DISPATCHER_OPTIONS.timeoutMs;

function dispatcherOptions({ webhooks, process: { stopTimeoutMs } }: Config): DispatcherOptions {
  return {
    ...webhooks,
    claimMs: webhooks.timeoutMs + CLAIM_MARGIN_MS,
    stopTimeoutMs: Math.min(stopTimeoutMs, DISPATCHER_OPTIONS.stopTimeoutMs),
  };
}

/** The dispatcher limits the deliveries per endpoint. */
export function openOutbound(config: Config, toolVersion: string): Outbound {
  return new Outbound({ ...outboundSettings(config, { toolVersion }), connectionsMax: config.webhooks.inFlightMax });
}

function userAgent(toolVersion: string): string {
  return `modelstats-webhooks/${toolVersion}`;
}

export function urlCheck({ outbound: { allow } }: Config) {
  return (url: string) => findUrlProblem(url, { allow });
}

/** Organizations that webhooks are live for, whatever their plan. */
export function isOfferedBy({ capabilities }: Config): IsOffered {
  return (organizationId) => isLive(capabilities.states, 'webhooks', organizationId);
}

export function outboundSettings(config: Config, { toolVersion }: { readonly toolVersion: string }): OutboundSettings {
  return {
    allow: config.outbound.allow,
    userAgent: `modelstats/${toolVersion}`,
    // Fewer: a slow receiver delays its deliveries sooner. More: it gets a crowd after an outage.
    connectionsMax: 16,
    connectTimeoutMs: 5_000,
    // Less than the shortest idle timeout of common servers (5 s), so that no request meets a closing connection.
    keepAliveMs: 4_000,
  };
}
