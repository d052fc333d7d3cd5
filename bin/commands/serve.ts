import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Accounts } from '../../accounts/accounts.ts';
import { AnswerCache } from '../../api/answers/answer-cache.ts';
import { ApiMetrics } from '../../api/api-metrics.ts';
import { type ApiDeps, type ApiSettings, buildApp } from '../../api/app.ts';
import { FileLinks } from '../../api/files/file-links.ts';
import { V1_ROUTES } from '../../api/routes/data-routes.ts';
import { viewEventLog } from '../../api/view/view-event-log.ts';
import { ViewFolder } from '../../api/view/view-folder.ts';
import { type FollowerSettings, type ViewEvent, ViewFollower } from '../../api/view/view-follower.ts';
import { createMetricsServer } from '../../http/metrics.ts';
import { AppError, messageFromError } from '../../schemas/errors.ts';
import { shownAddress } from '../../schemas/shown-address.ts';
import { folderFromUrl } from '../../storage/open-store.ts';
import { type CommandContext, duckdbSettings } from '../cli/command-context.ts';
import { createLogger } from '../cli/logger.ts';
import type { Config } from '../config/config.ts';
import { openConfiguredAccounts } from '../config/configured-accounts.ts';
import { openConfiguredStore } from '../config/configured-store.ts';
import { firstSignal, type RunningScheduler, startScheduler } from './night/schedule.ts';

export interface ServeOptions {
  readonly withSchedule?: boolean;
  readonly source?: string;
  readonly json?: boolean;
}

/** `modelstats serve`: answers the API until a signal; with `--with-schedule` it runs the nights too. */
export async function serve(context: CommandContext, options: ServeOptions): Promise<number> {
  const { config } = context;
  assertBackstopRoutes(config);
  const log = createLogger(config, { isBusy: true });
  let scheduler: RunningScheduler | undefined;
  const stopRequested = firstSignal({ onSecond: () => scheduler?.abandon() }); // Before a night starts, which a signal would end.
  const service = await openService(context, { log, findScheduleProblem: () => scheduler?.problem() });
  if (options.withSchedule) scheduler = startScheduler(context, { ...options, log });
  try {
    const url = await listen(service.app, config);
    const metricsUrl = await listenForMetrics(service.metricsServer, config);
    context.log(`serving ${shownAddress(config.STORE)} at ${url}${config.BASE_PATH}`);
    if (metricsUrl !== undefined) context.log(`metrics at ${metricsUrl}`);
    const listening = { status: 'listening', url: `${url}${config.BASE_PATH}`, metrics_url: metricsUrl ?? null };
    if (options.json) context.print(JSON.stringify(listening));
    void service.follower.start();
    log.info({ signal: await stopRequested }, 'stop requested');
  } finally {
    await Promise.all([scheduler?.stop(), closeInTime(service, config.STOP_TIMEOUT_SECONDS * 1000)]);
  }
  return 0;
}

/** Throws `configuration` where a limit is set for a route that there isn't; the other commands don't know the routes. */
function assertBackstopRoutes({ BACKSTOP }: Config): void {
  const names = V1_ROUTES.map(({ name }) => name);
  const problems = Object.entries(BACKSTOP)
    .filter(([route]) => !names.includes(route))
    .map(([route, limit]) => `'${route}=${limit}' is no ROUTE=LIMIT with a route of ${names.join(' ')}`);
  if (problems.length === 0) return;
  throw new AppError('configuration', problems.map((problem) => `MODELSTATS_BACKSTOP: ${problem}`).join('\n'));
}

interface Service {
  readonly app: FastifyInstance;
  /** Undefined where the metrics have no port of their own. */
  readonly metricsServer: Server | undefined;
  readonly follower: ViewFollower;
  readonly accounts: Accounts;
}

async function openService(
  { config, clock }: CommandContext,
  { log, findScheduleProblem }: Required<Pick<ApiDeps, 'findScheduleProblem'>> & { readonly log: Logger },
): Promise<Service> {
  const accounts = await openConfiguredAccounts(config, { clock, log });
  const links = new FileLinks(config.SIGNING_KEY ?? (await accounts.secret('file-links')), clock);
  const signUrl = async (...link: Parameters<FileLinks['sign']>) => links.sign(...link);
  const store = await openConfiguredStore(config, 'read', { file: { signUrl } });
  const storeFolder = folderFromUrl(config.STORE);
  const folder = await ViewFolder.take(resolve(config.VIEW));
  const metrics = new ApiMetrics();
  const logEvent = viewEventLog(log, clock);
  const onEvent = (event: ViewEvent) => {
    metrics.onViewEvent(event);
    logEvent(event);
  };
  const follower = new ViewFollower(followerSettings(config), { store, folder, clock, onEvent });
  const settings = apiSettings(config);
  const app = await buildApp({
    settings,
    accounts,
    views: follower,
    cache: new AnswerCache(config.CACHE_BYTES),
    clock,
    signUrl: (key, link) => store.signedUrl(key, link),
    files: storeFolder === undefined ? undefined : { folder: storeFolder, links },
    logger: log,
    metrics,
    findScheduleProblem,
  });
  const { METRICS_TOKEN: token, METRICS_PORT: port } = config;
  const metricsServer = port === undefined ? undefined : createMetricsServer(metrics, { token, connections: settings });
  return { app, metricsServer, follower, accounts };
}

function followerSettings(config: Config): FollowerSettings {
  return {
    duckdb: duckdbSettings(config),
    limits: {
      queriesMax: config.QUERIES_MAX,
      queriesWaitingMax: config.QUERIES_WAITING_MAX,
      queryTimeoutMs: config.QUERY_TIMEOUT_MS,
    },
    downloadsMax: config.DOWNLOADS_MAX,
    pollMs: config.POLL_SECONDS * 1000,
    retryMaxMs: config.POLL_RETRY_MAX_SECONDS * 1000,
  };
}

function apiSettings(config: Config): ApiSettings {
  return {
    basePath: config.BASE_PATH,
    publicUrl: config.PUBLIC_URL,
    trustedProxies: config.TRUSTED_PROXIES,
    headersTimeoutMs: config.HEADERS_TIMEOUT_MS,
    headersMax: config.HEADERS_MAX,
    requestTimeoutMs: config.REQUEST_TIMEOUT_MS,
    pipelinedMax: config.PIPELINED_MAX,
    sendTimeoutMs: config.SEND_TIMEOUT_MS,
    sendBytesMin: config.SEND_BYTES_MIN,
    keepAliveTimeoutMs: config.KEEP_ALIVE_TIMEOUT_MS,
    compressFromBytes: config.COMPRESS_FROM_BYTES,
    failedAttemptsMax: config.FAILED_ATTEMPTS_MAX,
    capabilities: config.CAPABILITIES,
    backstop: config.BACKSTOP,
    metricsAccess: { token: config.METRICS_TOKEN, isOpen: config.METRICS_OPEN },
  };
}

async function listen(app: FastifyInstance, { HOST, PORT, CONNECTIONS_MAX }: Config): Promise<string> {
  app.server.maxConnections = CONNECTIONS_MAX;
  try {
    return await app.listen({ host: HOST, port: PORT });
  } catch (cause) {
    throw new AppError('configuration', `can't listen on ${HOST}:${PORT}: ${messageFromError(cause)}`, { cause });
  }
}

/** The address of the metrics, where they have a port of their own. */
async function listenForMetrics(server: Server | undefined, config: Config): Promise<string | undefined> {
  if (server === undefined) return undefined;
  const { METRICS_HOST: host, METRICS_PORT: port } = config;
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (cause) {
    throw new AppError('configuration', `can't listen on ${host}:${port}: ${messageFromError(cause)}`, { cause });
  }
  const { port: given } = server.address() as AddressInfo; // Of a server that listens on a port.
  return `http://${host.includes(':') ? `[${host}]` : host}:${given}/metrics`;
}

/** Waits for running requests, but no longer than this; then their connections are closed. */
async function closeInTime({ app, metricsServer, follower, accounts }: Service, timeoutMs: number): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), timeoutMs);
  try {
    metricsServer?.close();
    metricsServer?.closeAllConnections();
    await app.close();
    await follower.stop();
    await accounts.close();
  } finally {
    clearTimeout(timer);
  }
}
