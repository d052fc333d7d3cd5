import { resolve } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Accounts } from '../../accounts/accounts.ts';
import { type Capability, isLive } from '../../api/access/capabilities.ts';
import { AnswerCache } from '../../api/answers/answer-cache.ts';
import { ApiMetrics } from '../../api/api-metrics.ts';
import { type AddFace, type ApiDeps, buildApp } from '../../api/app.ts';
import { FileLinks } from '../../api/files/file-links.ts';
import { V1_ROUTES } from '../../api/routes/data-routes.ts';
import { viewEventLog } from '../../api/view/follow/view-event-log.ts';
import { type ViewEvent, ViewFollower } from '../../api/view/follow/view-follower.ts';
import { ViewFolder } from '../../api/view/view-folder.ts';
import type { ControlDatabase } from '../../database/control-database.ts';
import { type Guide, makeGuide } from '../../guide/guide.ts';
import { MCP_ROUTE, mcpFace } from '../../mcp/mcp.ts';
import { OAUTH_REQUESTS_PER_MINUTE, type OAuthSettings } from '../../mcp/oauth/oauth-routes.ts';
import { PUBLIC_ROUTES, publicFace } from '../../public/public.ts';
import { AppError, messageFromError } from '../../schemas/errors.ts';
import { shownAddress } from '../../schemas/shown-address.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import { folderFromUrl } from '../../storage/open-store.ts';
import type { CommandContext } from '../cli/command-context.ts';
import { createLogger } from '../cli/logger.ts';
import { firstSignal } from '../cli/process-events.ts';
import { openConfiguredAccounts, openConfiguredDatabase } from '../config/accounts/configured-accounts.ts';
import { publicUrlOf } from '../config/accounts/public-url.ts';
import type { Config } from '../config/config.ts';
import { openConfiguredStore } from '../config/configured-store.ts';
import { refuseWrongStore } from '../config/refuse-wrong-store.ts';
import { apiSettings, followerSettings, publicSettings } from '../config/service/configured-api.ts';
import { type OpenedConsole, openConfiguredConsole } from '../config/service/configured-console.ts';
import { getServicePublicUrl } from '../config/service/configured-integrations.ts';
import { type RunningChecks, startChecks } from './integrations/running-checks.ts';
import { type MetricsPort, openMetricsPort } from './metrics-port.ts';
import { type RunningScheduler, startScheduler } from './night/schedule.ts';
import { stopServing } from './stop-serving.ts';
import { type RunningWebhooks, startWebhooks } from './webhooks/running-webhooks.ts';

export interface ServeOptions {
  readonly withSchedule?: boolean;
  readonly withWebhooks?: boolean;
  readonly withChecks?: boolean;
  readonly withConsole?: boolean;
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
  if (options.withChecks) getServicePublicUrl(config);
  const log = createLogger(config, { isBusy: true });
  let scheduler: RunningScheduler | undefined;
  const stopRequested = firstSignal({ onSecond: () => scheduler?.abandon() }); // Before a night starts, which a signal would end.
  const stopping = new AbortController();
  const findScheduleProblem = () => scheduler?.problem();
  const service = await openService(context, options, { log, findScheduleProblem, stopping: stopping.signal });
  let webhooks: RunningWebhooks | undefined;
  let checks: RunningChecks | undefined;
  let metricsPort: MetricsPort | undefined;
  try {
    if (options.withSchedule)
      scheduler = startScheduler(context, { ...options, log, registry: service.metrics.registry });
    if (options.withWebhooks)
      webhooks = await startWebhooks(context, { ...service, log, registry: service.metrics.registry });
    if (options.withChecks) {
      const onChange = () => service.accounts.forgetCredentials();
      checks = await startChecks(context, { ...service, log, registry: service.metrics.registry, onChange });
    }
    const url = await listen(service.app, config);
    metricsPort = await openMetricsPort(config, service.metrics);
    context.log(`serving ${shownAddress(config.STORE)} at ${url}${config.BASE_PATH}`);
    if (service.console !== undefined) context.log(`console at ${url}${config.BASE_PATH}/console`);
    if (metricsPort !== undefined) context.log(`metrics at ${metricsPort.url}`);
    const listening = { status: 'listening', url: `${url}${config.BASE_PATH}`, metrics_url: metricsPort?.url ?? null };
    if (options.json) context.print(JSON.stringify(listening));
    void service.follower.start();
    log.info({ signal: await stopRequested }, 'stop requested');
    stopping.abort();
  } finally {
    metricsPort?.close();
    const drainMs = stopping.signal.aborted ? config.DRAIN_SECONDS * 1000 : 0;
    const closed = stopServing(service, { drainMs, timeoutMs: config.STOP_TIMEOUT_SECONDS * 1000 });
    await Promise.all([scheduler?.stop(), webhooks?.stop(), checks?.stop(), closed]);
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

interface Service {
  readonly app: FastifyInstance;
  readonly store: ObjectStore;
  readonly follower: ViewFollower;
  readonly metrics: ApiMetrics;
  readonly database: ControlDatabase;
  readonly accounts: Accounts;
  /** Undefined where it isn't served. */
  readonly console: OpenedConsole | undefined;
}

type OpenServiceDeps = Required<Pick<ApiDeps, 'findScheduleProblem' | 'stopping'>> & { readonly log: Logger };

/** What has to be closed at the end, the last first; connections to servers would keep the process from ending. */
type Closing = { close(): Promise<void> }[];

async function openService(context: CommandContext, options: ServeOptions, deps: OpenServiceDeps): Promise<Service> {
  const closing: Closing = [];
  try {
    return await openParts(context, options, { ...deps, closing });
  } catch (error) {
    for (const part of closing.reverse()) await part.close();
    throw error;
  }
}

async function openParts(
  { config, clock, toolVersion }: CommandContext,
  { withConsole = false }: ServeOptions,
  { log, findScheduleProblem, stopping, closing }: OpenServiceDeps & { readonly closing: Closing },
): Promise<Service> {
  const folder = await ViewFolder.take(resolve(config.VIEW));
  closing.push({ close: async () => folder.free() });
  // A view that is there can be served whatever the store says.
  if ((await folder.findCurrent()) === undefined) await refuseWrongStore(await openConfiguredStore(config, 'read'));
  const database = await openConfiguredDatabase(config, { log });
  closing.push(database);
  const metrics = new ApiMetrics();
  const onCountsDropped = (requests: number) => metrics.onCountsDropped(requests);
  const accounts = await openConfiguredAccounts(config, database, { clock, log, onCountsDropped });
  closing.push(accounts);
  const console = withConsole
    ? await openConfiguredConsole(config, { database, accounts, clock, toolVersion, log })
    : undefined;
  if (console !== undefined) closing.push(console);
  const links = new FileLinks(config.SIGNING_KEY ?? (await accounts.secret('file-links')), clock);
  const signUrl = async (...link: Parameters<FileLinks['sign']>) => links.sign(...link);
  const store = await openConfiguredStore(config, 'read', { file: { signUrl } });
  const storeFolder = folderFromUrl(config.STORE);
  const logEvent = viewEventLog(log, clock);
  const onEvent = (event: ViewEvent) => {
    metrics.onViewEvent(event);
    logEvent(event);
  };
  const follower = new ViewFollower(followerSettings(config), {
    store,
    folder,
    clock,
    onEvent,
    onRelease: (release) => metrics.onRelease(release),
  });
  const guide = await guideOf(config, { hasConsole: console !== undefined });
  const app = await buildApp({
    settings: apiSettings(config),
    accounts,
    views: follower,
    cache: new AnswerCache(config.CACHE_BYTES),
    clock,
    signUrl: (key, link) => store.signedUrl(key, link),
    files: storeFolder === undefined ? undefined : { folder: storeFolder, links },
    logger: log,
    metrics,
    findScheduleProblem,
    stopping,
    showErrorPage: guide.showErrorPage,
    faces: [
      guide.face,
      ...(console === undefined ? [] : [console.face]),
      ...mcpFaces(config, toolVersion, oauthSettings(config, { accounts, console, clock })),
      publicFaceOf(config, { accounts, clock, hasConsole: console !== undefined }),
    ],
    openRoutes: isThere(config, 'embeds') ? PUBLIC_ROUTES : [],
  });
  return { app, store, follower, metrics, database, accounts, console };
}

/** MCP, unless it is not live for anybody: then its path is as unknown as any. */
function mcpFaces(
  { CAPABILITIES, PUBLIC_URL }: Config,
  version: string,
  oauth: OAuthSettings | undefined,
): readonly AddFace[] {
  return CAPABILITIES.mcp === 'planned' ? [] : [mcpFace({ publicUrl: PUBLIC_URL, version, oauth })];
}

/** The first page, and badges, embeds and feeds unless they are not live for everybody. */
function publicFaceOf(
  config: Config,
  { accounts, clock, hasConsole }: Pick<Service, 'accounts'> & Pick<CommandContext, 'clock'> & { hasConsole: boolean },
): AddFace {
  return publicFace({
    accounts,
    clock,
    hasConsole,
    isLive: (capability) => isThere(config, capability),
    ...publicSettings(config),
  });
}

/** The documentation: what is there for everybody, with the limits that are configured. */
function guideOf(config: Config, { hasConsole }: { readonly hasConsole: boolean }): Promise<Guide> {
  return makeGuide({
    root: config.BASE_PATH,
    hasConsole,
    isLive: (capability) => isThere(config, capability),
    backstop: config.BACKSTOP,
    failedAttemptsMax: config.FAILED_ATTEMPTS_MAX,
    publicRequestsMax: config.PUBLIC_REQUESTS_MAX,
  });
}

/** Whether a capability is there for everybody. */
function isThere({ CAPABILITIES }: Config, capability: Capability): boolean {
  return isLive(CAPABILITIES, capability, undefined);
}

/** Programs are connected where there are pages to do it on. */
function oauthSettings(
  config: Config,
  { accounts, console, clock }: Pick<Service, 'accounts' | 'console'> & Pick<CommandContext, 'clock'>,
): OAuthSettings | undefined {
  const authorization = console?.authorization;
  if (authorization === undefined) return undefined;
  const publicUrl = publicUrlOf(config);
  return { authorization, publicUrl, accounts, clock, requestsPerMinute: OAUTH_REQUESTS_PER_MINUTE };
}

async function listen(app: FastifyInstance, { HOST, PORT, CONNECTIONS_MAX }: Config): Promise<string> {
  app.server.maxConnections = CONNECTIONS_MAX;
  try {
    return await app.listen({ host: HOST, port: PORT });
  } catch (cause) {
    throw new AppError('configuration', `can't listen on ${HOST}:${PORT}: ${messageFromError(cause)}`, { cause });
  }
}
