import { resolve } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Accounts } from '../../../api/accounts/open-accounts.ts';
import { type Capability, isLive } from '../../../api/data/access/rights.ts';
import { ApiMetrics } from '../../../api/data/api-metrics.ts';
import { type AddSurface, type ApiDeps, type ApiSettings, buildApp } from '../../../api/data/app.ts';
import { FileLinks } from '../../../api/data/files.ts';
import type { ControlDatabase } from '../../../api/database/control-database.ts';
import { makeGuide } from '../../../api/guide/guide.ts';
import { mcpSurface } from '../../../api/mcp/mcp.ts';
import { OAUTH_REQUESTS_PER_MINUTE, type OAuthSettings } from '../../../api/mcp/oauth-routes.ts';
import { publicRoutes, publicSurface } from '../../../api/site/public.ts';
import { ViewFolder } from '../../../api/view/follow/view-folder.ts';
import { ViewFollower } from '../../../api/view/follow/view-follower.ts';
import { type ViewEvent, viewEventLog } from '../../../api/view/view-events.ts';
import type { ObjectStore } from '../../../storage/object-store.ts';
import { folderFromUrl } from '../../../storage/open-store.ts';
import type { CommandContext } from '../../cli/command.ts';
import type { Config } from '../../config/config.ts';
import { openConfiguredAccounts, openConfiguredDatabase, publicUrlOf } from '../../config/configured-accounts.ts';
import type { OpenedConsole } from '../../config/configured-console.ts';
import { openConfiguredStore, refuseWrongStore } from '../../config/configured-store.ts';

export interface Service {
  readonly app: FastifyInstance;
  readonly store: ObjectStore;
  readonly follower: ViewFollower;
  readonly metrics: ApiMetrics;
  readonly database: ControlDatabase;
  readonly accounts: Accounts;
  /** Undefined if not served. */
  readonly console: OpenedConsole | undefined;
}

export interface OpenServiceOptions {
  readonly withConsole: boolean | undefined;
}

export type OpenServiceDeps = Required<Pick<ApiDeps, 'findScheduleProblem' | 'stopping'>> & { readonly log: Logger };

/** Closed at the end, last first; open connections would keep the process alive. */
type Closing = { close(): Promise<void> }[];

/**
 * Opens the service; if a part fails, closes the others.
 * @throws AppError `configuration` for a wrong setting
 */
export async function openService(
  context: CommandContext,
  options: OpenServiceOptions,
  deps: OpenServiceDeps,
): Promise<Service> {
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
  { withConsole = false }: OpenServiceOptions,
  { log, findScheduleProblem, stopping, closing }: OpenServiceDeps & { readonly closing: Closing },
): Promise<Service> {
  const folder = await ViewFolder.acquire(resolve(config.view.folder));
  closing.push({ close: async () => folder.release() });
  // An existing view can be served whatever the state of the store.
  if ((await folder.findCurrent()) === undefined) await refuseWrongStore(await openConfiguredStore(config, 'read'));
  const database = await openConfiguredDatabase(config, { log });
  closing.push(database);
  const metrics = new ApiMetrics();
  const onCountsDropped = (requests: number) => metrics.onCountsDropped(requests);
  const accounts = await openConfiguredAccounts(config, database, { clock, log, onCountsDropped });
  closing.push(accounts);
  let console: OpenedConsole | undefined;
  if (withConsole) {
    const { openConfiguredConsole } = await import('../../config/configured-console.ts');
    console = await openConfiguredConsole(config, { database, accounts, clock, toolVersion, log });
    closing.push(console);
  }
  const links = new FileLinks(config.files.signingKey ?? (await accounts.secret('file-links')), clock);
  const signUrl = async (...link: Parameters<FileLinks['sign']>) => links.sign(...link);
  const store = await openConfiguredStore(config, 'read', { file: { signUrl } });
  const storeFolder = folderFromUrl(config.places.store);
  const logEvent = viewEventLog(log, clock);
  const onEvent = (event: ViewEvent) => {
    metrics.onViewEvent(event);
    logEvent(event);
  };
  const follower = new ViewFollower(
    { ...config.view, duckdb: config.duckdb, limits: config.queries },
    {
      store,
      folder,
      clock,
      onEvent,
      onRelease: (release) => metrics.onRelease(release),
    },
  );
  const { surfaces, openRoutes, showErrorPage } = await openSurfaces(config, { accounts, console, clock, toolVersion });
  const app = await buildApp({
    settings: apiSettings(config),
    accounts,
    views: follower,
    clock,
    signUrl: (key, link) => store.signedUrl(key, link),
    store,
    files: storeFolder === undefined ? undefined : { folder: storeFolder, links },
    logger: log,
    metrics,
    findScheduleProblem,
    stopping,
    showErrorPage,
    surfaces,
    openRoutes,
  });
  return { app, store, follower, metrics, database, accounts, console };
}

interface SurfacesDeps extends Pick<CommandContext, 'clock' | 'toolVersion'> {
  readonly accounts: Accounts;
  /** Undefined if not served. */
  readonly console: OpenedConsole | undefined;
}

function apiSettings(config: Config): ApiSettings {
  const { token, isOpen } = config.metrics;
  return {
    ...config.address,
    ...config.connections,
    ...config.attempts,
    ...config.backstop,
    ...config.responses,
    capabilities: config.capabilities.states,
    metricsAccess: { token, isOpen },
  };
}

async function openSurfaces(
  config: Config,
  { accounts, console, clock, toolVersion }: SurfacesDeps,
): Promise<Required<Pick<ApiDeps, 'surfaces' | 'openRoutes' | 'showErrorPage'>>> {
  const hasConsole = console !== undefined;
  const isOffered = (capability: Capability) => isLive(config.capabilities.states, capability, undefined);
  const guide = makeGuide({
    root: config.address.basePath,
    hasConsole,
    isLive: isOffered,
    backstop: config.backstop.backstop,
    failedAttemptsMax: config.attempts.failedAttemptsMax,
    publicRequestsMax: config.public.requestsPerMinute,
  });
  const oauth = oauthSettings(config, { accounts, console });
  return {
    surfaces: [
      guide.surface,
      ...(console === undefined ? [] : [console.surface]),
      ...mcpSurfaces(config, { version: toolVersion, oauth }),
      publicSurface({
        clock,
        hasConsole,
        isLive: isOffered,
        ...config.public,
        compressFromBytes: config.responses.compressFromBytes,
      }),
    ],
    openRoutes: publicRoutes(isOffered),
    showErrorPage: guide.showErrorPage,
  };
}

/** While MCP is only planned, its path is unknown. */
function mcpSurfaces(
  { capabilities, address }: Config,
  { version, oauth }: { readonly version: string; readonly oauth: OAuthSettings | undefined },
): readonly AddSurface[] {
  return capabilities.states.mcp === 'planned' ? [] : [mcpSurface({ publicUrl: address.publicUrl, version, oauth })];
}

/** Connecting programs needs the console's pages. */
function oauthSettings(
  config: Config,
  { accounts, console }: Pick<SurfacesDeps, 'accounts' | 'console'>,
): OAuthSettings | undefined {
  const authorization = console?.authorization;
  if (authorization === undefined) return undefined;
  const publicUrl = publicUrlOf(config);
  return { authorization, publicUrl, accounts, requestsPerMinute: OAUTH_REQUESTS_PER_MINUTE };
}
