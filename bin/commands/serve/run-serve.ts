import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { V1_ROUTES } from '../../../api/data/routes/data-routes.ts';
import { MCP_ROUTE } from '../../../api/mcp/mcp.ts';
import { finishResponses } from '../../../api/server/connections.ts';
import type { ViewFollower } from '../../../api/view/follow/view-follower.ts';
import { AppError, messageFromError } from '../../../runtime/errors.ts';
import { shownAddress } from '../../../runtime/shown-address.ts';
import type { CommandContext } from '../../cli/command.ts';
import { openLog } from '../../cli/logger.ts';
import { type MetricsPort, openMetricsPort } from '../../cli/ports.ts';
import { firstSignal } from '../../cli/process-events.ts';
import type { Config } from '../../config/config.ts';
import { getServicePublicUrl } from '../../config/configured-accounts.ts';
import type { RunningScheduler } from '../night/run-scheduler.ts';
import { type OpenServiceOptions, openService } from './open-service.ts';
import type { RunningChecks } from './running-checks.ts';
import type { RunningDigests } from './running-digests.ts';
import type { RunningWebhooks } from './running-webhooks.ts';

interface ServeOptions extends OpenServiceOptions {
  readonly withSchedule: boolean | undefined;
  readonly withWebhooks: boolean | undefined;
  readonly withChecks: boolean | undefined;
  readonly withDigests: boolean | undefined;
  readonly source: string | undefined;
  readonly json: boolean;
}

/** Serves the API until a signal; options add nights, webhooks, checks, digests and the console. */
export async function runServe(context: CommandContext, options: ServeOptions): Promise<number> {
  const { config } = context;
  assertBackstopRoutes(config);
  assertDrain(config);
  if (options.withChecks) getServicePublicUrl(config);
  const { log, linesDropped } = openLog(config, { isBusy: true });
  let scheduler: RunningScheduler | undefined;
  const stopRequested = firstSignal({ onSecond: () => scheduler?.abandon() }); // Before a night starts, which a signal would end.
  const stopping = new AbortController();
  void stopRequested.then((signal) => {
    log.info({ signal }, 'stop requested');
    stopping.abort();
  });
  const findScheduleProblem = () => scheduler?.problem();
  const service = await openService(context, options, { log, findScheduleProblem, stopping: stopping.signal });
  service.metrics.registry.registerMetric(linesDropped);
  let webhooks: RunningWebhooks | undefined;
  let checks: RunningChecks | undefined;
  let digests: RunningDigests | undefined;
  let metricsPort: MetricsPort | undefined;
  let drainMs = 0;
  try {
    // Loaded by the processes that do this work.
    if (options.withSchedule) {
      const { startScheduler } = await import('../night/run-scheduler.ts');
      scheduler = startScheduler(context, { ...options, log, registry: service.metrics.registry });
    }
    if (options.withWebhooks) {
      const { startWebhooks } = await import('./running-webhooks.ts');
      webhooks = await startWebhooks(context, { ...service, log, registry: service.metrics.registry });
    }
    if (options.withChecks) {
      const { startChecks } = await import('./running-checks.ts');
      const onChange = () => service.accounts.forgetCredentials();
      checks = await startChecks(context, { ...service, log, registry: service.metrics.registry, onChange });
    }
    if (options.withDigests) {
      const { startDigests } = await import('./running-digests.ts');
      digests = await startDigests(context, { ...service, log, registry: service.metrics.registry });
    }
    if (stopping.signal.aborted) return 0;
    const url = await listen(service.app, config);
    drainMs = config.serve.drainMs;
    metricsPort = await openMetricsPort(config, service.metrics);
    const address = `${url}${config.address.basePath}`;
    context.log(`listening at ${address}, opening the releases of ${shownAddress(config.places.store)}`);
    void service.follower.served.then(() => context.log(`serving ${shownAddress(config.places.store)} at ${address}`));
    if (service.console !== undefined) context.log(`console at ${address}/console`);
    if (metricsPort !== undefined) context.log(`metrics at ${metricsPort.url}`);
    const listening = { status: 'listening', url: address, metrics_url: metricsPort?.url ?? null };
    if (options.json) context.print(JSON.stringify(listening));
    void service.follower.start();
    await stopRequested;
  } finally {
    if (!stopping.signal.aborted) drainMs = 0;
    const closed = stopServing(service, { drainMs, timeoutMs: config.process.stopTimeoutMs });
    await Promise.all([scheduler?.stop(), webhooks?.stop(), checks?.stop(), digests?.stop(), closed]);
    metricsPort?.close();
    await service.console?.close();
    await service.accounts.close();
    await service.database.close();
  }
  return 0;
}

/** Throws `configuration` for a limit of an unknown route; other commands don't know the routes. */
function assertBackstopRoutes({ backstop: { backstop } }: Config): void {
  const names = [...V1_ROUTES, MCP_ROUTE].map(({ name }) => name);
  const problems = Object.entries(backstop)
    .filter(([route]) => !names.includes(route))
    .map(([route, limit]) => `'${route}=${limit}' is not ROUTE=LIMIT with one of the routes ${names.join(' ')}`);
  if (problems.length === 0) return;
  throw new AppError('configuration', problems.map((problem) => `MODELSTATS_BACKSTOP: ${problem}`).join('\n'));
}

/** Throws `configuration` if draining leaves no time to finish requests. */
function assertDrain({ serve: { drainMs }, process: { stopTimeoutMs } }: Config): void {
  if (drainMs === 0 || drainMs < stopTimeoutMs) return;
  const problem = `MODELSTATS_DRAIN_SECONDS (${drainMs / 1000}) must be less than MODELSTATS_STOP_TIMEOUT_SECONDS (${stopTimeoutMs / 1000})`;
  throw new AppError('configuration', problem);
}

async function listen(app: FastifyInstance, { serve: { host, port }, connections }: Config): Promise<string> {
  app.server.maxConnections = connections.connectionsMax;
  try {
    return await app.listen({ host, port });
  } catch (cause) {
    throw new AppError('configuration', `can't listen on ${host}:${port}: ${messageFromError(cause)}`, { cause });
  }
}

interface StopTimes {
  /** It still accepts requests for so long, so that clients of `/health/ready` can leave (decision 0093). */
  readonly drainMs: number;
  /** For everything; then remaining connections are closed. */
  readonly timeoutMs: number;
}

/** Stops a server without losing a request: serves while draining, then finishes running requests. */
async function stopServing(
  { app, follower }: { readonly app: FastifyInstance; readonly follower: ViewFollower },
  { drainMs, timeoutMs }: StopTimes,
): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), timeoutMs);
  try {
    await sleep(drainMs);
    await finishResponses(app.server);
    // The rest sent no complete request; Node would wait for them.
    app.server.closeAllConnections();
    await app.close();
    await follower.stop();
  } finally {
    clearTimeout(timer);
  }
}
