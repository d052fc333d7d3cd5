import pLimit from 'p-limit';
import { isAppError } from '../../../runtime/errors.ts';
import type { Catalog, CatalogEntry } from '../../../schemas/catalog.ts';
import { DATASET_NAMES, type DatasetName } from '../../../schemas/datasets.ts';
import type { Release, UpstreamCounts } from '../../../schemas/release.ts';
import { loadRelease } from '../../../storage/catalog.ts';
import type { ObjectStore } from '../../../storage/object-store.ts';
import { allEnded } from '../../run/concurrency.ts';
import { type SourceSettings, USUAL_NIGHTS_MIN } from '../../source/source-settings.ts';
import type { Check, RecordCounts } from './check.ts';
import type { UpstreamRows } from './upstreams.ts';

/** What there is less of than the night before: records of a dataset, or rows of one of the upstreams that fill it. */
export interface Loss extends Shrinkage {
  readonly dataset: DatasetName;
  readonly of: 'records' | 'rows';
  /** Whose rows; of a dataset's records the one that fills it alone, where there is one. */
  readonly upstream: string | undefined;
}

/** Everything that became fewer, datasets first. Growth and what isn't known are nowhere here. */
export function findLosses(checked: Check, changed: RecordCounts, previous: Release | undefined): readonly Loss[] {
  const losses = DATASET_NAMES.flatMap((dataset): readonly Loss[] => {
    const known = previous?.upstream_rows?.[dataset] ?? {};
    const counted = [...(checked.upstreamRows[dataset] ?? [])].flatMap(([upstream, rows]) =>
      rows === null || (rows === 0 && known[upstream] === undefined) ? [] : [{ upstream, rows }],
    );
    const [before, after] = [changed.previousRecords[dataset], changed.records[dataset]];
    const [first, ...others] = counted;
    const isAlone = others.length === 0 && Object.keys(known).every((id) => id === first?.upstream);
    if (isAlone && first?.rows === checked.rows[dataset]) {
      return [{ dataset, of: 'records', upstream: first.upstream, before, after }];
    }
    const parts = counted.map(
      ({ upstream, rows }): Loss => ({
        dataset,
        of: 'rows',
        upstream,
        before: known[upstream]?.rows ?? 0,
        after: rows,
      }),
    );
    return [{ dataset, of: 'records', upstream: undefined, before, after }, ...parts];
  });
  return losses.filter(({ before, after }) => after < before);
}

/** What the release says of each upstream's rows: as counted today, else as they were counted last. */
export function upstreamCounts(
  today: UpstreamRows,
  { day, previous }: { readonly day: string; readonly previous: Release | undefined },
): UpstreamCounts | undefined {
  const counts: UpstreamCounts = {};
  for (const dataset of DATASET_NAMES) {
    const before = previous?.upstream_rows?.[dataset] ?? {};
    const told = [...(today[dataset] ?? [])].flatMap(([upstream, rows]) => {
      const count = rows === null ? before[upstream] : { rows, day };
      return count === undefined || count.rows === 0 ? [] : [[upstream, count] as const];
    });
    if (told.length > 0) counts[dataset] = Object.fromEntries(told);
  }
  return Object.keys(counts).length === 0 ? undefined : counts;
}

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

/** What a median absolute deviation has to be multiplied by to be the standard deviation of what is normally distributed. */
const SPREAD_OF_DEVIATION = 1.4826;

/** How many there were the night before, and how many there would be. */
interface Shrinkage {
  readonly before: number;
  readonly after: number;
}

type UsualSettings = Pick<SourceSettings, 'min_shrink' | 'min_shrink_records' | 'usual_spreads'>;

/** What is exceeded where more goes than usual: the part up to which it is usual, and the nights that say so. */
interface Exceeded {
  readonly upTo: number;
  readonly nights: number;
}

/**
 * Whether more goes tonight than usually goes (specification "Guard"; decision 0078).
 * @param counts how many there were in each of the last nights, oldest first
 * @returns undefined where it is usual, where it is too little to hold a night, and where too few nights are known
 */
export function findUnusual(
  tonight: Shrinkage,
  counts: readonly number[],
  settings: UsualSettings,
): Exceeded | undefined {
  if (!isNoticeable(tonight, settings)) return undefined;
  const changes = changesFrom(counts);
  const usual = usualLoss(changes, settings.usual_spreads);
  if (usual === undefined || shareOf(tonight) <= usual) return undefined;
  return { upTo: Math.max(usual, settings.min_shrink), nights: changes.length };
}

/** Whether so much goes that it matters what is usual. */
export function isNoticeable(
  tonight: Shrinkage,
  { min_shrink, min_shrink_records }: Pick<UsualSettings, 'min_shrink' | 'min_shrink_records'>,
): boolean {
  return tonight.before - tonight.after > min_shrink_records && shareOf(tonight) > min_shrink;
}

/** The part that goes. */
export function shareOf({ before, after }: Shrinkage): number {
  return (before - after) / before;
}

/**
 * The largest part that usually goes in one night: the median of what went in each of the last nights, and `spreads` times their
 * spread more. Half of the nights would have to be odd before they move it at will.
 * @param changes what went in each night, as a part of what there was: below 0 where more came than went; in any order
 * @returns below 0 where something grows every night; undefined where too few nights are known
 */
export function usualLoss(changes: readonly number[], spreads: number): number | undefined {
  if (changes.length < USUAL_NIGHTS_MIN) return undefined;
  const middle = median(changes);
  return middle + spreads * SPREAD_OF_DEVIATION * median(changes.map((change) => Math.abs(change - middle)));
}

/** What went from each night to the next, as a part of what there was; a night with nothing before tells nothing. */
export function changesFrom(counts: readonly number[]): readonly number[] {
  return counts.slice(1).flatMap((after, index) => {
    const before = counts[index] ?? 0;
    return before === 0 ? [] : [shareOf({ before, after })];
  });
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const [low, high] = [sorted[(sorted.length - 1) >> 1] ?? 0, sorted[sorted.length >> 1] ?? 0];
  return (low + high) / 2;
}
