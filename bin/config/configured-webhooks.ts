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

/** Of a command's context, what webhooks need. */
export interface WebhookContext {
  readonly config: Config;
  readonly clock: () => Date;
  readonly toolVersion: string;
}

/** What an operator's command works with. */
export interface OperatedWebhooks {
  readonly endpoints: EndpointAdministration;
  readonly log: DeliveryLog;
  /** Sends one delivery at once; how its newest attempt went, undefined where there was none yet. */
  readonly sendNow: (deliveryId: string) => Promise<Attempt | undefined>;
}

/** Runs an operator's work on webhooks. `not_found` becomes `usage`: the operator named something that doesn't exist. */
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
  /** In claims, unlike any other's. */
  readonly name: string;
  readonly onEvent: (event: DispatcherEvent) => void;
}

/** The dispatcher as it is configured, not started, with its queue. */
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

/** Time for a claim beyond the attempt that it is for. */
const CLAIM_MARGIN_MS = DISPATCHER_OPTIONS.claimMs - DISPATCHER_OPTIONS.timeoutMs;

function dispatcherOptions({ webhooks, process: { stopTimeoutMs } }: Config): DispatcherOptions {
  return {
    ...webhooks,
    claimMs: webhooks.timeoutMs + CLAIM_MARGIN_MS,
    stopTimeoutMs: Math.min(stopTimeoutMs, DISPATCHER_OPTIONS.stopTimeoutMs),
  };
}

/** The guard that deliveries go through. How many are under way to one endpoint is the dispatcher's to bound. */
export function openOutbound(config: Config, toolVersion: string): Outbound {
  return new Outbound({ ...outboundSettings(config, { toolVersion }), connectionsMax: config.webhooks.inFlightMax });
}

function userAgent(toolVersion: string): string {
  return `modelstats-webhooks/${toolVersion}`;
}

/** What is wrong with an endpoint's address, before anything is sent there. */
export function urlCheck({ outbound: { allow } }: Config) {
  return (url: string) => findUrlProblem(url, { allow });
}

/** Who is offered webhooks, whatever their plan. */
export function isOfferedBy({ capabilities }: Config): IsOffered {
  return (organizationId) => isLive(capabilities.states, 'webhooks', organizationId);
}

/** How requests to customers' addresses are sent. */
export function outboundSettings(config: Config, { toolVersion }: { readonly toolVersion: string }): OutboundSettings {
  return {
    allow: config.outbound.allow,
    userAgent: `modelstats/${toolVersion}`,
    // With fewer a slow receiver holds up its own deliveries sooner; with more it gets a crowd at once after an outage.
    connectionsMax: 16,
    connectTimeoutMs: 5_000,
    // Less than the shortest wait of usual servers (5 s), so that no request is sent on a connection that is just being closed.
    keepAliveMs: 4_000,
  };
}
