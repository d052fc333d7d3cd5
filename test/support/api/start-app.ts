import { ApiMetrics } from '../../../api/data/api-metrics.ts';
import { type AddSurface, type ApiSettings, buildApp } from '../../../api/data/app.ts';
import { FileLinks } from '../../../api/data/files.ts';
import type { OpenRoute } from '../../../api/data/openapi/other-operations.ts';
import { ATTEMPT_SETTINGS, BACKSTOP_SETTINGS, RESPONSE_SETTINGS } from '../../../api/data/settings.ts';
import type { Guide } from '../../../api/guide/guide.ts';
import { ViewFolder } from '../../../api/view/follow/view-folder.ts';
import { type FollowerDeps, type FollowerSettings, ViewFollower } from '../../../api/view/follow/view-follower.ts';
import type { ViewEvent } from '../../../api/view/view-events.ts';
import { writeView } from '../../../api/view/write/write-view.ts';
import { defaultsOf } from '../../../runtime/setting.ts';
import type { RecordVersion } from '../../../schemas/record-version.ts';
import type { ObjectStore } from '../../../storage/object-store.ts';
import { folderFromUrl, openStore } from '../../../storage/open-store.ts';
import { SERVER_SETTINGS } from '../server/start-server.ts';
import { openTestAccounts, type TestAccounts, type TestAccountsOptions } from './test-accounts.ts';

/** What a test may want otherwise of the API itself. */
export interface AppOptions {
  readonly settings?: Partial<ApiSettings>;
  readonly follower?: Partial<FollowerSettings>;
  /** Default: those that this program knows. */
  readonly versions?: readonly RecordVersion[];
  /** How views are written; default: in this process, since a process per test costs half a second. */
  readonly write?: FollowerDeps['write'];
  /** Stands between the API and the store, to make it fail. */
  readonly wrapStore?: (store: ObjectStore) => ObjectStore;
  /** Asks for keys; default: everything is open to all. */
  readonly accounts?: TestAccountsOptions;
  /** What else is served on these accounts; default: nothing. */
  readonly surfaces?: (accounts: TestAccounts) => Promise<readonly AddSurface[]>;
  /** Default: pages of errors are plain, and there is no documentation else. */
  readonly guide?: () => Guide;
  /** What of that the OpenAPI document has. */
  readonly openRoutes?: readonly OpenRoute[];
}

const DEFAULT_SETTINGS: ApiSettings = {
  ...SERVER_SETTINGS,
  ...defaultsOf(RESPONSE_SETTINGS),
  ...defaultsOf(ATTEMPT_SETTINGS),
  ...defaultsOf(BACKSTOP_SETTINGS),
  capabilities: {},
};

const DEFAULT_FOLLOWER: FollowerSettings = {
  duckdb: { memoryLimit: '500MB', threads: 1 },
  limits: { queriesMax: 2, queriesWaitingMax: 1000, queryTimeoutMs: 20_000 },
  downloadsMax: 4,
  // Longer than any test: a test calls `refresh` where it wants a look at the catalog.
  pollMs: 3_600_000,
  retryMaxMs: 3_600_000,
};

/**
 * Puts the API together: the one place where tests do. It serves the store at `url` from a view in `viewFolder`, which is built,
 * or has failed to be, when this resolves.
 */
export async function startApp(
  url: string,
  viewFolder: string,
  { clock, ...options }: AppOptions & { readonly clock: () => Date },
) {
  const links = new FileLinks('a secret for tests only', clock);
  const opened = await openStore(url, { file: { signUrl: async (...link) => links.sign(...link) } });
  const store = options.wrapStore?.(opened) ?? opened;
  const events: ViewEvent[] = [];
  const follower = new ViewFollower(
    { ...DEFAULT_FOLLOWER, ...options.follower },
    {
      store,
      folder: await ViewFolder.acquire(viewFolder),
      clock,
      versions: options.versions,
      write: options.write ?? writeView,
      onEvent: (event) => events.push(event),
    },
  );
  const folder = folderFromUrl(url);
  const accounts = options.accounts && (await openTestAccounts(options.accounts, clock));
  const guide = options.guide?.();
  const app = await buildApp({
    settings: { ...DEFAULT_SETTINGS, ...options.settings },
    accounts: accounts && (options.accounts?.wrap?.(accounts.accounts) ?? accounts.accounts),
    views: follower,
    clock,
    signUrl: (key, link) => store.signedUrl(key, link),
    store,
    files: folder === undefined ? undefined : { folder, links },
    logger: undefined,
    metrics: new ApiMetrics(),
    versions: options.versions,
    openRoutes: options.openRoutes ?? [],
    showErrorPage: guide?.showErrorPage,
    surfaces: [
      ...(guide === undefined ? [] : [guide.surface]),
      ...(accounts === undefined ? [] : ((await options.surfaces?.(accounts)) ?? [])),
    ],
  });
  await follower.start();
  return { app, follower, events, accounts };
}
