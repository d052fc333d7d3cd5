import { existsSync } from 'node:fs';
import { cp, mkdtemp, readFile, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { AccountSchema } from '../../../api/accounts/caller.ts';
import type { Day } from '../../../runtime/day.ts';
import { sha256 } from '../../../storage/hash.ts';
import { folderFromUrl } from '../../../storage/open-store.ts';
import { type Customer, TestClock } from '../accounts/subject.ts';
import { filesIn, KEPT_NIGHTS } from '../pipeline/kept-nights.ts';
import { publishFixtureDays } from '../pipeline/sample-store.ts';
import { openTemporaryStore, type TemporaryStore } from '../pipeline/temporary-store.ts';
import { listenOnPort } from './listen.ts';
import { sendRaw } from './raw-request.ts';
import { type AppOptions, startApp } from './start-app.ts';
import { bearer } from './test-accounts.ts';

/** What the API serves: `days`, from a store of its own that goes away with it, or the store at an address. */
export type Served =
  | { readonly days: Days; readonly store?: never }
  | { readonly store: string; readonly days?: never };

/** Days of fixtures/days, or whatever a function publishes into the empty store. */
export type Days = readonly Day[] | ((store: TemporaryStore) => Promise<unknown>);

export type ApiOptions = Served &
  AppOptions & {
    /** Where its clock stands at first; default: {@link NOON}. */
    readonly now?: string;
    /** A folder that a view may already lie in, and that stays; default: a new one. */
    readonly viewFolder?: string;
  };

/** When an API's clock begins unless told: the last day of a month of 30. */
export const NOON = '2026-06-30T12:00:00Z';

/** The API in this process, asked without a network. It looks at its store when told to, and its clock stands until told. */
export type TestApi = Awaited<ReturnType<typeof openApi>>;

export interface AskOptions {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'OPTIONS' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
}

/** Opens the API; its view is built, or has failed to be, when this resolves. A test file's own is {@link useApi}'s. */
export async function openApi(options: ApiOptions) {
  const clock = new TestClock(options.now ?? NOON);
  const store = options.days && (await openStoreWith(options.days));
  const viewFolder = options.viewFolder ?? (await mkdtemp(join(tmpdir(), 'modelstats-view-')));
  const storeUrl = store?.url ?? options.store ?? '';
  const kept = hasUsualView(options) ? await placeOfView(folderFromUrl(storeUrl)) : undefined;
  const isCopied = kept !== undefined && (await copyView(kept, viewFolder));
  const started = await startApp(storeUrl, viewFolder, { ...options, clock: clock.now });
  if (kept !== undefined && !isCopied && started.follower.problem === undefined) await keepView(viewFolder, kept);
  const { app, follower, events, accounts } = started;
  const chosen = options.accounts?.as && accounts?.customers[options.accounts.as];
  const headers: Readonly<Record<string, string>> = chosen === undefined ? {} : bearer(chosen.key);
  let listening: Promise<number> | undefined;
  const port = () => {
    listening ??= listenOnPort(app);
    return listening;
  };
  const get = async (url: string, further: Readonly<Record<string, string>> = {}) =>
    app.inject({ method: 'GET', url, headers: { ...headers, ...further } });
  const ask = async ({ key }: Customer, url: string, { method = 'GET', headers: further = {} }: AskOptions = {}) =>
    app.inject({ method, url, headers: { ...bearer(key), ...further } });
  return {
    app,
    follower,
    events,
    clock,
    /** The store that was opened for `days`; throws where the API serves another's. */
    get store() {
      if (store === undefined) throw new Error('the API serves a store that was not opened for it');
      return store;
    },
    viewFolder,
    /** Throws where nobody is asked for a key. */
    get accounts() {
      if (accounts === undefined) throw new Error('the API was opened without accounts');
      return accounts;
    },
    /** What every request carries that wants more than a refusal: the key that was chosen, if one was. */
    headers,
    get,
    /** The parsed body of a 200. */
    json: async (path: string): Promise<Record<string, unknown>> => {
      const response = await get(path);
      if (response.statusCode !== 200) throw new Error(`${path}: ${response.statusCode} ${response.body}`);
      return response.json();
    },
    ask,
    /** Where it listens on 127.0.0.1, from the first call on. */
    port,
    send: async (bytes: string | Buffer, quietMs?: number) => sendRaw(await port(), bytes, quietMs),
    accountOf: async (customer: Customer) => AccountSchema.parse((await ask(customer, '/v1/account')).json()),
    close: async () => {
      await app.close();
      await follower.stop();
      await accounts?.close();
      if (options.viewFolder === undefined) await rm(viewFolder, { recursive: true, force: true });
      await store?.dispose();
    },
  };
}

/** Whether the view is one that every API over the same store has. */
function hasUsualView({ viewFolder, follower, versions, wrapStore, write }: ApiOptions): boolean {
  return [viewFolder, follower, versions, wrapStore, write].every((own) => own === undefined);
}

async function openStoreWith(days: Days): Promise<TemporaryStore> {
  const store = await openTemporaryStore();
  if (typeof days === 'function') await days(store);
  else await publishFixtureDays(store, days);
  return store;
}

/** Larger stores are rare, and their views would fill the disk. */
const STORE_BYTES_MAX = 4 << 20;

/**
 * Many tests serve a store that another has served before. Its view is built once in a run of the tests, kept, and copied from then on: the
 * API begins as one that is started again (`api/view/follow/view-folder.test.ts`), for a quarter of the processor time. Where a test has a part in
 * how the view is made, its own is built.
 *
 * Gives where the view of a store is kept in this run, by all that the store holds; undefined where nothing is kept.
 * @param storeFolder undefined: the store is no folder
 */
async function placeOfView(storeFolder: string | undefined): Promise<string | undefined> {
  const place = process.env[KEPT_NIGHTS];
  if (place === undefined || storeFolder === undefined || !existsSync(storeFolder)) return undefined;
  const paths = await filesIn(storeFolder);
  const sizes = await Promise.all(paths.map(async (path) => (await stat(path)).size));
  if (sizes.reduce((sum, size) => sum + size, 0) > STORE_BYTES_MAX) return undefined;
  const prints = paths.map(async (path) => `${relative(storeFolder, path)} ${sha256(await readFile(path))}`);
  return join(place, `view-${sha256((await Promise.all(prints)).join('\n')).slice(0, 32)}`);
}

/** Copies the view of a store that was kept in this run, if one was, for a server that need not build its own. */
export async function copyKeptView(storeFolder: string, viewFolder: string): Promise<void> {
  const kept = await placeOfView(storeFolder);
  if (kept !== undefined) await copyView(kept, viewFolder);
}

/** Copies a kept view into a folder for views; whether there is one. */
async function copyView(kept: string, viewFolder: string): Promise<boolean> {
  if (!existsSync(kept)) return false;
  await cp(kept, viewFolder, { recursive: true });
  return true;
}

async function keepView(viewFolder: string, kept: string): Promise<void> {
  const copy = await mkdtemp(`${kept}.`);
  await cp(viewFolder, copy, { recursive: true, filter: (path) => !basename(path).startsWith('lock') });
  await rename(copy, kept).catch(() => rm(copy, { recursive: true })); // Where another process was quicker.
}
