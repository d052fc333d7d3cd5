import type { Day } from '../../../runtime/day.ts';
import type { DatasetName } from '../../../schemas/datasets.ts';
import type { Release } from '../../../schemas/release.ts';

/** Local Parquet files. */
export interface HistoryParts {
  /** The newest records, with `valid_from`. */
  readonly state: Readonly<Record<DatasetName, string>>;
  /** Intervals closed since the previous view, if any. */
  readonly closed: Readonly<Record<DatasetName, readonly string[]>>;
  /** Reconstructed price intervals. */
  readonly backfill: string | undefined;
}

export interface ViewParts extends HistoryParts {
  /** Parquet files of the requested releases' events, in order. */
  readonly changes: readonly string[];
  /** Parquet file of the models' names; undefined if the newest release has none. */
  readonly aliases: string | undefined;
  /** The requested releases and the newest, by day. */
  readonly releases: ReadonlyMap<Day, Release>;
  readonly newest: Release;
}
