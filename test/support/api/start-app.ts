import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import type { RecordVersion } from '../../schemas/record-version.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import { folderFromUrl, openStore } from '../../storage/open-store.ts';
import { AnswerCache } from '../answer-cache.ts';
import { type ApiSettings, buildApp } from '../app.ts';
import { FileLinks } from '../file-links.ts';
import { Metrics } from '../metrics.ts';
import { ViewFolder } from '../view/view-folder.ts';
import { type FollowerSettings, type ViewEvent, ViewFollower } from '../view/view-follower.ts';
import { bearer, openTestAccounts, type TestAccounts, type TestAccountsOptions } from './test-accounts.ts';

export interface TestApiOptions {
  /** Default: noon of 2026-06-30. */
  readonly now?: () => Date;
  readonly settings?: Partial<ApiSettings>;
  readonly follower?: Partial<FollowerSettings>;
  /** A folder that a view may already lie in; default: a new one. */
  readonly viewFolder?: string;
  readonly cacheBytes?: number;
  /** Default: those that this program knows. */
  readonly versions?: readonly RecordVersion[];
  /** Stands between the API and the store, to make it fail. */
  readonly wrapStore?: (store: ObjectStore) => ObjectStore;
  /** Asks for keys; default: everything is open to all. */
  readonly accounts?: TestAccountsOptions;
}

/** The API over a store, in this process, following only when told to. */
export interface TestApi {
  readonly app: FastifyInstance;
  readonly follower: ViewFollower;
  readonly events: readonly ViewEvent[];
  readonly viewFolder: string;
  /** Undefined where nobody is asked for a key. */
  readonly accounts: TestAccounts | undefined;
  /** What every request carries that wants more than a refusal: the key that was chosen, if one was. */
  readonly headers: Readonly<Record<string, string>>;
  get(url: string, headers?: Record<string, string>): Promise<LightMyRequestResponse>;
  /** The parsed body of a 200. */
  json(url: string): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

const DEFAULT_SETTINGS: ApiSettings = {
  basePath: '',
  publicUrl: undefined,
  trustedProxies: [],
  requestTimeoutMs: 30_000,
  keepAliveTimeoutMs: 5_000,
  compressFromBytes: 1024,
  failedAttemptsMax: 60,
  capabilities: {},
  metricsToken: undefined,
};

const DEFAULT_FOLLOWER: FollowerSettings = {
  duckdb: { memoryLimit: '500MB', threads: 1 },
  limits: { queriesMax: 2, queriesWaitingMax: 1000, queryTimeoutMs: 20_000 },
  downloadsMax: 4,
  // Longer than any test: a test calls `refresh` where it wants a look at the catalog.
  pollMs: 3_600_000,
  retryMaxMs: 3_600_000,
};

/** Starts the API over the store at `url`; the view is built, or has failed to be, when it resolves. */
export async function openTestApi(url: string, options: TestApiOptions = {}): Promise<TestApi> {
  const clock = options.now ?? (() => new Date('2026-06-30T12:00:00Z'));
  const links = new FileLinks('a secret for tests only', clock);
  const opened = await openStore(url, { file: { signUrl: async (...link) => links.sign(...link) } });
  const store = options.wrapStore?.(opened) ?? opened;
  const viewFolder = options.viewFolder ?? (await mkdtemp(join(tmpdir(), 'modelstats-view-')));
  const events: ViewEvent[] = [];
  const follower = new ViewFollower(
    { ...DEFAULT_FOLLOWER, ...options.follower },
    {
      store,
      folder: await ViewFolder.take(viewFolder),
      clock,
      versions: options.versions,
      onEvent: (event) => events.push(event),
    },
  );
  const folder = folderFromUrl(url);
  const accounts = options.accounts && (await openTestAccounts(options.accounts, clock));
  const app = await buildApp({
    settings: { ...DEFAULT_SETTINGS, ...options.settings },
    accounts: accounts && (options.accounts?.wrap?.(accounts.accounts) ?? accounts.accounts),
    views: follower,
    cache: new AnswerCache(options.cacheBytes ?? 1 << 24),
    clock,
    signUrl: (key, link) => store.signedUrl(key, link),
    files: folder === undefined ? undefined : { folder, links },
    logger: undefined,
    metrics: new Metrics(),
    versions: options.versions,
  });
  await follower.start();
  const chosen = options.accounts?.as && accounts?.customers[options.accounts.as];
  const common: TestApi['headers'] = chosen === undefined ? {} : bearer(chosen.key);
  const get: TestApi['get'] = async (path, headers = {}) =>
    app.inject({ method: 'GET', url: path, headers: { ...common, ...headers } });
  return {
    ...{ app, follower, events, viewFolder, accounts, get, headers: common },
    json: async (path) => {
      const response = await get(path);
      if (response.statusCode !== 200) throw new Error(`${path}: ${response.statusCode} ${response.body}`);
      return response.json();
    },
    close: async () => {
      await app.close();
      await follower.stop();
      await accounts?.close();
      if (options.viewFolder === undefined) await rm(viewFolder, { recursive: true, force: true });
    },
  };
}
