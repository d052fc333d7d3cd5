import { writeFile } from 'node:fs/promises';
import type { Subscription } from '../../../api/accounts/organizations/terms.ts';
import { ModelstatsClient } from '../../../client/client.ts';
import type { ClientOptions } from '../../../client/client-settings.ts';
import { openCopy, scratchFolderOf } from '../../../client/sync/copies/open-copy.ts';
import type { Copy, SyncOptions, SyncResult, SyncState, SyncStep, Update } from '../../../client/sync/copy.ts';
import { Scratch } from '../../../client/sync/scratch.ts';
import { sync } from '../../../client/sync/sync.ts';
import { DATASET_NAMES, type DatasetName } from '../../../schemas/datasets.ts';
import { SCHEMA_VERSION } from '../../../schemas/record-versions.ts';
import { listen } from '../api/listen.ts';
import { type ApiOptions, openApi, type TestApi } from '../api/open-api.ts';
import { WIDE_BACKSTOP } from '../api/test-accounts.ts';
import { perFile } from '../per-test.ts';
import { listReleases, readSnapshot } from '../pipeline/published.ts';
import type { TemporaryStore } from '../pipeline/temporary-store.ts';
import { useFolder } from '../temporary-folder.ts';
import { collect } from './collect.ts';

export type Service = Awaited<ReturnType<typeof openService>>;

/** An organization whose limits are in nobody's way. */
const UNLIMITED = { plan: 'commercial', contract: { burst_per_minute: 1_000_000 } } as const;

/** The API behind an address of its own, as a consumer has it. */
export async function openService(options: ApiOptions) {
  const api = await openApi({ ...options, accounts: {}, settings: { backstop: WIDE_BACKSTOP, ...options.settings } });
  const url = await listen(api.app);
  const addKey = async (subscription: Partial<Subscription>) => (await api.accounts.add(subscription)).key;
  const key = await addKey(UNLIMITED);
  return {
    api,
    url,
    key,
    addKey,
    /** With short waits. */
    client: (more: Partial<ClientOptions> = {}) => new ModelstatsClient({ ...QUICK, url, key, ...more }),
    publish: async (work: (api: TestApi) => Promise<unknown>) => {
      await work(api);
      await api.follower.refresh();
      if (api.follower.problem !== undefined) throw new Error('the night can not be served');
    },
    close: () => api.close(),
  };
}

/** Short waits, so that a test of many faults doesn't take long. */
export const QUICK = { retryDelayMsMax: 5, timeoutMs: 5_000 } as const;

export function useService(options: ApiOptions): Service {
  return perFile(() => openService(options));
}

/** Places for copies, each of its own, which go away with the tests of a file. */
export function usePlaces(): (ending: string) => string {
  const path = useFolder();
  let count = 0;
  return (ending) => {
    count += 1;
    return path(`copy-${count}${ending}`);
  };
}

const DUCKDB = { memoryLimit: '500MB', threads: 1 };

export async function withCopy<T>(into: string, work: (copy: Copy) => Promise<T>): Promise<T> {
  const copy = await openCopy(into, DUCKDB);
  try {
    return await work(copy);
  } finally {
    await copy.close();
  }
}

export function syncInto(
  into: string,
  client: ModelstatsClient,
  options: Partial<SyncOptions> & { readonly onStep?: (step: SyncStep) => void } = {},
): Promise<SyncResult> {
  const { keepsHistory = false, onStep } = options;
  return withCopy(into, (copy) =>
    sync(
      { keepsHistory },
      { client, copy, scratch: new Scratch(scratchFolderOf(into)), clock: () => new Date(), onStep },
    ),
  );
}

/** Every line of a copy, by dataset, in the version of the records that it says it has unless another is named. */
export function linesOf(into: string, named?: string): Promise<Readonly<Record<DatasetName, string>>> {
  return withCopy(into, async (copy) => {
    const version = named ?? (await copy.state())?.schema_version ?? SCHEMA_VERSION;
    const all = new Map<DatasetName, string>();
    for (const name of DATASET_NAMES) {
      all.set(name, (await collect(copy.lines(name, version))).map((line) => `${line}\n`).join(''));
    }
    return Object.fromEntries(all) as Record<DatasetName, string>; // Of every name.
  });
}

/** The text of each dataset of the newest snapshot, read from the store. */
export async function newestLines(store: TemporaryStore): Promise<Readonly<Record<DatasetName, string>>> {
  const newest = (await listReleases(store)).at(-1);
  if (newest === undefined) throw new Error('nothing is published');
  const texts = DATASET_NAMES.map(async (name) => [name, await readSnapshot(store, newest, name)] as const);
  return Object.fromEntries(await Promise.all(texts)) as Record<DatasetName, string>; // Of every name.
}

/** What a copy says of itself; throws where that is nothing. */
export async function stateOf(copy: Copy): Promise<SyncState> {
  const state = await copy.state();
  if (state === undefined) throw new Error('there is no state');
  return state;
}

/** Changes a copy, or what it says of itself, as something else than a sync would. */
export function changeCopy(
  into: string,
  update: Partial<Omit<Update, 'state'>>,
  state: Partial<SyncState> = {},
): Promise<void> {
  const nothing = { replaced: {}, upserts: {}, deletes: {}, events: undefined, dropsEvents: false };
  return withCopy(into, async (copy) =>
    copy.update({ ...nothing, ...update, state: { ...(await stateOf(copy)), ...state } }),
  );
}

/** Takes the first score out of a copy. @param path of a file for the others, until they are in the copy */
export async function loseScore(into: string, path: string): Promise<void> {
  const rest = (await linesOf(into)).scores.replace(/^.*\n/, '');
  await writeFile(path, rest);
  await changeCopy(into, { replaced: { scores: path } });
}
