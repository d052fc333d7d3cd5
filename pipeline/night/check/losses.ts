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

/** Fewer records of a dataset than the night before, or fewer rows of one of its upstreams. */
export interface Loss extends Shrinkage {
  readonly dataset: DatasetName;
  readonly of: 'records' | 'rows';
  /** Whose rows; for records, the dataset's only upstream. */
  readonly upstream: string | undefined;
}

/** Datasets first. Growth and unknown counts are left out. */
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

/** The release's rows of each upstream: counted today, else the last count. */
export function upstreamCounts(
  today: UpstreamRows,
  { day, previous }: { readonly day: string; readonly previous: Release | undefined },
): UpstreamCounts | undefined {
  const counts: UpstreamCounts = {};
  for (const dataset of DATASET_NAMES) {
    const before = previous?.upstream_rows?.[dataset] ?? {};
    const counted = [...(today[dataset] ?? [])].flatMap(([upstream, rows]) => {
      const count = rows === null ? before[upstream] : { rows, day };
      return count === undefined || count.rows === 0 ? [] : [[upstream, count] as const];
    });
    if (counted.length > 0) counts[dataset] = Object.fromEntries(counted);
  }
  return Object.keys(counts).length === 0 ? undefined : counts;
}

/** Releases fetched at once: a hundred take a second from a remote store. */
const FETCHES_MAX = 8;

/** The last releases in which each dataset was captured, oldest first. */
export type PastNights = ReadonlyMap<DatasetName, readonly Release[]>;

/**
 * The last nights that captured these datasets: `nights` changes of each, hence one release more. Omits missing and
 * damaged releases, which `verify` reports; an unreadable store rejects with `store_unavailable`.
 */
export async function loadPastNights(
  catalog: Catalog | undefined,
  request: { readonly datasets: ReadonlySet<DatasetName>; readonly nights: number },
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
  for (const dataset of request.datasets) {
    const captured = (catalog?.releases ?? []).filter((entry) => entry.captured.includes(dataset));
    const releases = await allEnded(captured.slice(-request.nights - 1).map(fetchOnce));
    past.set(
      dataset,
      releases.filter((release) => release !== undefined),
    );
  }
  return past;
}

/** Oldest first; nights without a count are left out. */
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

/** Converts a median absolute deviation to the standard deviation of a normal distribution. */
const SPREAD_OF_DEVIATION = 1.4826;

interface Shrinkage {
  readonly before: number;
  readonly after: number;
}

type UsualSettings = Pick<SourceSettings, 'min_shrink' | 'min_shrink_records' | 'usual_spreads'>;

/** The usual loss that was exceeded, as a fraction, and the number of nights it is based on. */
interface Exceeded {
  readonly upTo: number;
  readonly nights: number;
}

/**
 * Whether tonight's loss is unusual (specification "Guard"; decision 0078).
 * @param counts of each of the last nights, oldest first
 * @returns undefined where it is usual or too small to hold a night, or too few nights are known
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

export function isNoticeable(
  tonight: Shrinkage,
  { min_shrink, min_shrink_records }: Pick<UsualSettings, 'min_shrink' | 'min_shrink_records'>,
): boolean {
  return tonight.before - tonight.after > min_shrink_records && shareOf(tonight) > min_shrink;
}

/** The fraction lost. */
export function shareOf({ before, after }: Shrinkage): number {
  return (before - after) / before;
}

/**
 * The largest usual loss of one night: the median of past losses plus `spreads` times their spread. It takes odd losses
 * in half of the nights to move it arbitrarily.
 * @param changes fractions lost in each night; below 0 for growth
 * @returns below 0 where every night grows; undefined where too few nights are known
 */
export function usualLoss(changes: readonly number[], spreads: number): number | undefined {
  if (changes.length < USUAL_NIGHTS_MIN) return undefined;
  const middle = median(changes);
  return middle + spreads * SPREAD_OF_DEVIATION * median(changes.map((change) => Math.abs(change - middle)));
}

/** Fractions lost from night to night; a night after an empty one counts for nothing. */
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
