import pLimit from 'p-limit';
import { isAppError } from '../../../runtime/errors.ts';
import type { Catalog, CatalogEntry } from '../../../schemas/catalog.ts';
import type { DatasetName } from '../../../schemas/datasets.ts';
import type { Release } from '../../../schemas/release.ts';
import { loadRelease } from '../../../storage/catalog.ts';
import type { ObjectStore } from '../../../storage/object-store.ts';
import { allEnded } from '../../run/all-ended.ts';
import type { Loss } from './losses.ts';

/** Releases fetched at once: a second for a hundred of them far away, and no burden for a store that is near. */
const FETCHES_MAX = 8;

/** The last releases in which each dataset was captured, oldest first. */
export type PastNights = ReadonlyMap<DatasetName, readonly Release[]>;

/**
 * Fetches the last nights in which these datasets were captured: `nights` changes of each, and so a release more. A release that is
 * missing or damaged is left out, which `verify` tells; a store that can't be read rejects with `store_unavailable`.
 */
export async function loadPastNights(
  catalog: Catalog | undefined,
  wanted: { readonly datasets: ReadonlySet<DatasetName>; readonly nights: number },
  store: ObjectStore,
): Promise<PastNights> {
  const limit = pLimit(FETCHES_MAX);
  const fetched = new Map<string, Promise<Release | undefined>>();
  const fetchOnce = (entry: CatalogEntry) => {
    const release = fetched.get(entry.run) ?? limit(() => findRelease(store, entry));
    fetched.set(entry.run, release);
    return release;
  };
  const past = new Map<DatasetName, readonly Release[]>();
  for (const dataset of wanted.datasets) {
    const captured = (catalog?.releases ?? []).filter((entry) => entry.captured.includes(dataset));
    const releases = await allEnded(captured.slice(-wanted.nights - 1).map(fetchOnce));
    past.set(
      dataset,
      releases.filter((release) => release !== undefined),
    );
  }
  return past;
}

/** How many there were in each of the nights, oldest first; nights that don't tell are left out. */
export function countsOf({ dataset, of, upstream }: Loss, past: PastNights): readonly number[] {
  return (past.get(dataset) ?? []).flatMap((release) => {
    if (of === 'records') return [release.records[dataset]];
    const count = release.upstream_rows?.[dataset]?.[upstream ?? ''];
    return count === undefined || count.day !== release.day ? [] : [count.rows];
  });
}

async function findRelease(store: ObjectStore, entry: CatalogEntry): Promise<Release | undefined> {
  try {
    return await loadRelease(store, entry);
  } catch (error) {
    if (isAppError(error, 'corrupt')) return undefined;
    throw error;
  }
}
