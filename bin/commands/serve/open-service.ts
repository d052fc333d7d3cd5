import { resolve } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Accounts } from '../../../api/accounts/accounts.ts';
import { ApiMetrics } from '../../../api/data/api-metrics.ts';
import { type ApiDeps, buildApp } from '../../../api/data/app.ts';
import { FileLinks } from '../../../api/data/files/files.ts';
import type { ControlDatabase } from '../../../api/database/control-database.ts';
import { ResponseCache } from '../../../api/server/response-cache.ts';
import { type ViewEvent, viewEventLog } from '../../../api/view/follow/view-events.ts';
import { ViewFollower } from '../../../api/view/follow/view-follower.ts';
import { ViewFolder } from '../../../api/view/view-folder.ts';
import type { ObjectStore } from '../../../storage/object-store.ts';
import { folderFromUrl } from '../../../storage/open-store.ts';
import type { CommandContext } from '../../cli/command-context.ts';
import { openConfiguredAccounts, openConfiguredDatabase } from '../../config/accounts/configured-accounts.ts';
import { openConfiguredStore } from '../../config/configured-store.ts';
import { refuseWrongStore } from '../../config/refuse-wrong-store.ts';
import { apiSettings, followerSettings } from '../../config/service/configured-api.ts';
import { type OpenedConsole, openConfiguredConsole } from '../../config/service/configured-console.ts';
import { openFaces } from './faces.ts';

/** What answers the API, with all that it stands on. */
export interface Service {
  readonly app: FastifyInstance;
  readonly store: ObjectStore;
  readonly follower: ViewFollower;
  readonly metrics: ApiMetrics;
  readonly database: ControlDatabase;
  readonly accounts: Accounts;
  /** Undefined where it isn't served. */
  readonly console: OpenedConsole | undefined;
}

export interface OpenServiceOptions {
  readonly withConsole?: boolean;
}

export type OpenServiceDeps = Required<Pick<ApiDeps, 'findScheduleProblem' | 'stopping'>> & { readonly log: Logger };

/** What has to be closed at the end, the last first; connections to servers would keep the process from ending. */
type Closing = { close(): Promise<void> }[];

/**
 * Opens what serves. Where a part can't be opened, those before it are closed again.
 * @throws AppError `configuration` where a setting or what it names is wrong
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
  const { faces, openRoutes, showErrorPage } = await openFaces(config, { accounts, console, clock, toolVersion });
  const app = await buildApp({
    settings: apiSettings(config),
    accounts,
    views: follower,
    cache: new ResponseCache(config.CACHE_BYTES),
    clock,
    signUrl: (key, link) => store.signedUrl(key, link),
    files: storeFolder === undefined ? undefined : { folder: storeFolder, links },
    logger: log,
    metrics,
    findScheduleProblem,
    stopping,
    showErrorPage,
    faces,
    openRoutes,
  });
  return { app, store, follower, metrics, database, accounts, console };
}
