import type { FastifyInstance } from 'fastify';
import { V1_ROUTES } from '../../../api/data/routes/data-routes.ts';
import { MCP_ROUTE } from '../../../api/mcp/mcp.ts';
import { AppError, messageFromError } from '../../../runtime/errors.ts';
import { shownAddress } from '../../../runtime/shown-address.ts';
import type { CommandContext } from '../../cli/command-context.ts';
import { openLog } from '../../cli/logger.ts';
import { firstSignal } from '../../cli/process-events.ts';
import type { Config } from '../../config/config.ts';
import { getServicePublicUrl } from '../../config/service/configured-integrations.ts';
import { type RunningChecks, startChecks } from '../integrations/running-checks.ts';
import { type MetricsPort, openMetricsPort } from '../metrics-port.ts';
import { type RunningScheduler, startScheduler } from '../night/schedule.ts';
import { type RunningWebhooks, startWebhooks } from '../webhooks/running-webhooks.ts';
import { type OpenServiceOptions, openService } from './open-service.ts';
import { stopServing } from './stop-serving.ts';

export interface ServeOptions extends OpenServiceOptions {
  readonly withSchedule?: boolean;
  readonly withWebhooks?: boolean;
  readonly withChecks?: boolean;
  readonly source?: string;
  readonly json?: boolean;
}

/**
 * `modelstats serve`: answers the API until a signal; with `--with-schedule` it runs the nights too, with `--with-webhooks` it sends
 * webhooks, with `--with-checks` it checks integrations, with `--with-console` it has pages for people.
 */
export async function serve(context: CommandContext, options: ServeOptions): Promise<number> {
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
  let metricsPort: MetricsPort | undefined;
  let drainMs = 0;
  try {
    if (options.withSchedule)
      scheduler = startScheduler(context, { ...options, log, registry: service.metrics.registry });
    if (options.withWebhooks)
      webhooks = await startWebhooks(context, { ...service, log, registry: service.metrics.registry });
    if (options.withChecks) {
      const onChange = () => service.accounts.forgetCredentials();
      checks = await startChecks(context, { ...service, log, registry: service.metrics.registry, onChange });
    }
    if (stopping.signal.aborted) return 0;
    const url = await listen(service.app, config);
    drainMs = config.DRAIN_SECONDS * 1000;
    metricsPort = await openMetricsPort(config, service.metrics);
    const address = `${url}${config.BASE_PATH}`;
    context.log(`listening at ${address}, opening what ${shownAddress(config.STORE)} has published`);
    void service.follower.served.then(() => context.log(`serving ${shownAddress(config.STORE)} at ${address}`));
    if (service.console !== undefined) context.log(`console at ${address}/console`);
    if (metricsPort !== undefined) context.log(`metrics at ${metricsPort.url}`);
    const listening = { status: 'listening', url: address, metrics_url: metricsPort?.url ?? null };
    if (options.json) context.print(JSON.stringify(listening));
    void service.follower.start();
    await stopRequested;
  } finally {
    if (!stopping.signal.aborted) drainMs = 0;
    const closed = stopServing(service, { drainMs, timeoutMs: config.STOP_TIMEOUT_SECONDS * 1000 });
    await Promise.all([scheduler?.stop(), webhooks?.stop(), checks?.stop(), closed]);
    metricsPort?.close();
    await service.console?.close();
    await service.accounts.close();
    await service.database.close();
  }
  return 0;
}

/** Throws `configuration` where a limit is set for a route that there isn't; the other commands don't know the routes. */
function assertBackstopRoutes({ BACKSTOP }: Config): void {
  const names = [...V1_ROUTES, MCP_ROUTE].map(({ name }) => name);
  const problems = Object.entries(BACKSTOP)
    .filter(([route]) => !names.includes(route))
    .map(([route, limit]) => `'${route}=${limit}' is no ROUTE=LIMIT with a route of ${names.join(' ')}`);
  if (problems.length === 0) return;
  throw new AppError('configuration', problems.map((problem) => `MODELSTATS_BACKSTOP: ${problem}`).join('\n'));
}

/** Throws `configuration` where nothing would be left of the time to stop, in which what came last is answered. */
function assertDrain({ DRAIN_SECONDS, STOP_TIMEOUT_SECONDS }: Config): void {
  if (DRAIN_SECONDS === 0 || DRAIN_SECONDS < STOP_TIMEOUT_SECONDS) return;
  const problem = `MODELSTATS_DRAIN_SECONDS (${DRAIN_SECONDS}) has to be less than MODELSTATS_STOP_TIMEOUT_SECONDS (${STOP_TIMEOUT_SECONDS})`;
  throw new AppError('configuration', problem);
}

async function listen(app: FastifyInstance, { HOST, PORT, CONNECTIONS_MAX }: Config): Promise<string> {
  app.server.maxConnections = CONNECTIONS_MAX;
  try {
    return await app.listen({ host: HOST, port: PORT });
  } catch (cause) {
    throw new AppError('configuration', `can't listen on ${HOST}:${PORT}: ${messageFromError(cause)}`, { cause });
  }
}
