import type { DatasetName } from '../../schemas/datasets.ts';
import type { ModelstatsClient } from '../client.ts';
import type { Scratch } from './scratch.ts';

/** The state of a copy, stored with the records in one transaction. */
export interface SyncState {
  readonly url: string;
  /** The last snapshot reached; null if the plan has none. */
  readonly snapshot_id: string | null;
  /** After the last applied event; null if the plan has no snapshots. */
  readonly cursor: string | null;
  /** The version of the records, `major.minor`. */
  readonly schema_version: string;
  /** The time of the last snapshot's data, ISO 8601. */
  readonly data_as_of: string;
  /** ISO 8601. */
  readonly synced_at: string;
  /** Hash of the benchmarks, which the feed lacks. */
  readonly benchmarks_sha256: string | null;
  /** The first day completely covered by the stored events; null: none are stored. */
  readonly history_from: string | null;
  /**
   * JSON for the next sync: ETags of the responses, and content hashes (`read-snapshots.ts`). Null until the copy is
   * verified.
   */
  readonly etags: string | null;
}

export type FollowableState = SyncState & { readonly cursor: string };

/** JSON Lines files by dataset, packed if named `.gz`. */
export type Files = Readonly<Partial<Record<DatasetName, string>>>;

/** SHA-256. */
export type ContentHashes = Readonly<Record<DatasetName, string>>;

export interface Update {
  /** Files that replace all records. */
  readonly replaced: Files;
  /** Records to add or replace, each key once. */
  readonly upserts: Files;
  /** Keys to remove, as objects; none of `upserts`. */
  readonly deletes: Files;
  /** Events to store, ascending. */
  readonly events: string | undefined;
  /** Whether stored events are dropped, because the new ones don't continue them. */
  readonly dropsEvents: boolean;
  readonly state: SyncState;
}

/**
 * A local copy of the five datasets. One process writes it; a killed process leaves it as before or after an update.
 */
export interface Copy {
  /** Whether lines are stored as received, in any version; otherwise only known fields are. */
  readonly isVerbatim: boolean;
  /**
   * Events per update. Smaller: a kill loses less. Larger: fewer updates. Most nights have fewer, so readers see whole
   * days.
   */
  readonly batchEvents: number;
  /** Undefined for an empty copy. */
  readonly state: () => Promise<SyncState | undefined>;
  /** A dataset's canonical lines in a version, sorted by key; a verbatim copy has only its own version. */
  readonly lines: (dataset: DatasetName, version: string) => AsyncIterable<string>;
  /** For messages. */
  readonly placeOf: (dataset: DatasetName) => string;
  /** All of it or, on rejection, nothing. */
  readonly update: (update: Update) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** For tables or files that aren't a copy's: they must not be overwritten. */
export const NOT_A_COPY = 'but is not a copy made by modelstats; choose another place, or remove it';

export type SyncStep =
  | { readonly is: 'download'; readonly dataset: DatasetName; readonly bytes: number; readonly of: number }
  | { readonly is: 'import'; readonly snapshot: string }
  | { readonly is: 'follow'; readonly seq: number; readonly of: number }
  | { readonly is: 'list'; readonly dataset: DatasetName; readonly records: number; readonly of: number }
  | { readonly is: 'check'; readonly dataset: DatasetName };

export interface SyncDeps {
  readonly client: ModelstatsClient;
  readonly copy: Copy;
  readonly scratch: Scratch;
  readonly clock: () => Date;
  readonly signal?: AbortSignal | undefined;
  readonly onStep?: ((step: SyncStep) => void) | undefined;
}

export interface SyncOptions {
  /** Whether to store all events, as far back as available. */
  readonly keepsHistory: boolean;
}

export interface SyncResult {
  /** `imported`: loaded a whole state; `followed`: applied events; `up_to_date`: nothing to do. */
  readonly status: 'imported' | 'followed' | 'up_to_date';
  readonly snapshot_id: string | null;
  readonly cursor: string | null;
  /** ISO 8601. */
  readonly data_as_of: string;
  readonly events: { readonly upsert: number; readonly delete: number };
  /** Limits of the plan, and anomalies. */
  readonly warnings: readonly string[];
}
