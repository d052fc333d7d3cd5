import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { AppError } from '../../../runtime/errors.ts';
import type { Catalog, CatalogEntry } from '../../../schemas/catalog.ts';
import type { DATASET_NAMES, DatasetName } from '../../../schemas/datasets.ts';
import type { Release } from '../../../schemas/release.ts';
import { retainedFrom } from '../../../schemas/retention.ts';
import { fetchBackfill } from '../../../storage/backfill-objects.ts';
import { loadRelease } from '../../../storage/catalog.ts';
import { fetchReleaseFile } from '../../../storage/fetch-object.ts';
import { RELEASE_PATHS } from '../../../storage/keys.ts';
import type { ObjectStore } from '../../../storage/object-store.ts';
import type { ViewParts } from '../write/view-parts.ts';

export interface FetchInput {
  readonly catalog: Catalog;
  /** Releases to load intervals and events of. */
  readonly entries: readonly CatalogEntry[];
  /** Empty. */
  readonly folder: string;
}

export interface FetchDeps {
  readonly store: ObjectStore;
  readonly downloadsMax: number;
  /** Ends the work, which then rejects. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Downloads a view's parts and checks each file's hash. Rejects with `corrupt`, `not_found` or `store_unavailable`.
 */
export async function fetchParts({ catalog, entries, folder }: FetchInput, deps: FetchDeps): Promise<ViewParts> {
  const newest = catalog.releases.at(-1);
  if (newest === undefined) throw new AppError('unavailable', 'no release has been published yet');
  await mkdir(folder, { recursive: true });
  const limit = pLimit(deps.downloadsMax);
  const requested = entries.includes(newest) ? entries : [...entries, newest];
  const loaded = await limit.map(
    requested,
    async (entry) => [entry.day, await loadRelease(deps.store, entry)] as const,
  );
  const releases = new Map(loaded);
  const getRelease = ({ day }: CatalogEntry): Release => {
    const release = releases.get(day);
    if (release === undefined) throw new Error(`${day} was not loaded`);
    return release;
  };
  const tasks: Promise<string>[] = [];
  let hasFailed = false;
  const fetchFile = (entry: CatalogEntry, path: string, name: string): Promise<string> => {
    const task = limit(async () => {
      if (hasFailed) throw new Error('another download failed');
      deps.signal?.throwIfAborted();
      const to = join(folder, `${entry.day}-${name}.parquet`);
      await fetchReleaseFile(deps.store, getRelease(entry), path, to);
      return to;
    });
    tasks.push(task);
    return task;
  };
  const retained = retainedFrom(catalog) ?? newest.day;
  const withEvents = entries.filter(({ day, first_seq: firstSeq }) => firstSeq !== null && day >= retained);
  const backfilled = limit(() => fetchBackfilledPrices(catalog, join(folder, 'backfill.parquet'), deps));
  const hasNames = getRelease(newest).files.some(({ path }) => path === RELEASE_PATHS.aliases);
  const all = Promise.all([
    perDataset((name) => fetchFile(newest, RELEASE_PATHS.state(name), `state-${name}`)),
    perDataset((name) =>
      Promise.all(entries.map((entry) => fetchFile(entry, RELEASE_PATHS.history(name), `closed-${name}`))),
    ),
    Promise.all(withEvents.map((entry) => fetchFile(entry, RELEASE_PATHS.changes, 'changes'))),
    backfilled,
    hasNames ? fetchFile(newest, RELEASE_PATHS.aliases, 'aliases') : undefined,
  ]);
  try {
    const [state, closed, changes, backfill, aliases] = await all;
    return { state, closed, changes, backfill, aliases, releases, newest: getRelease(newest) };
  } catch (error) {
    hasFailed = true;
    await Promise.allSettled([...tasks, backfilled]); // Afterwards nothing writes to the folder.
    throw error;
  }
}

async function fetchBackfilledPrices({ backfill }: Catalog, to: string, { store }: FetchDeps) {
  const pricing = backfill?.pricing ?? null;
  if (pricing === null || pricing.intervals === 0) return undefined;
  await fetchBackfill(store, pricing, to);
  return to;
}

async function perDataset<T>(work: (name: DatasetName) => Promise<T>): Promise<Record<DatasetName, T>> {
  const [models, benchmarks, scores, rankings, pricing] = await Promise.all([
    work('models'),
    work('benchmarks'),
    work('scores'),
    work('rankings'),
    work('pricing'),
  ] satisfies { [K in keyof typeof DATASET_NAMES]: unknown });
  return { models, benchmarks, scores, rankings, pricing };
}
