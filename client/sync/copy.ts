import type { DatasetName } from '../../schemas/datasets.ts';
import type { ModelstatsClient } from '../client.ts';
import type { Scratch } from './scratch.ts';

/** What a copy says about itself; stored with the records, in the same transaction. */
export interface SyncState {
  /** The service that it was made from. */
  readonly url: string;
  /** The snapshot that was reached last; null where the plan has none. */
  readonly snapshot_id: string | null;
  /** The feed's cursor behind the last event that was applied; null where the plan has no snapshots to begin with. */
  readonly cursor: string | null;
  /** The version of the records, `major.minor`. */
  readonly schema_version: string;
  /** The point in time that the last snapshot reflects, ISO 8601. */
  readonly data_as_of: string;
  /** When this was written, ISO 8601. */
  readonly synced_at: string;
  /** Hash of the benchmarks' lines, which are not in the feed. */
  readonly benchmarks_sha256: string | null;
  /** The first day that the events kept here tell everything of; null: none are kept. */
  readonly history_from: string | null;
  /**
   * What the next sync asks and compares with, as JSON: tags of the answers that this was made of, and the hashes of the content that it
   * had then (`read-snapshots.ts`). Null until the copy is proven to equal its snapshot.
   */
  readonly etags: string | null;
}

/** Of a copy that the feed can be applied to. */
export type FollowableState = SyncState & { readonly cursor: string };

/** JSON Lines files by dataset; `.gz` where the name says so. */
export type Files = Readonly<Partial<Record<DatasetName, string>>>;

/** The content of a copy: SHA-256 of each dataset's lines. */
export type ContentHashes = Readonly<Record<DatasetName, string>>;

/** What changes in a copy, all at once. */
export interface Update {
  /** Records that take the place of all. */
  readonly replaced: Files;
  /** Records that are added, or take the place of the one with their key; each key once. */
  readonly upserts: Files;
  /** Keys of records that go, as objects; none of `upserts`. */
  readonly deletes: Files;
  /** Events to keep, in ascending order; undefined: none. */
  readonly events: string | undefined;
  /** Whether the events that were kept so far go: what comes doesn't go on from them. */
  readonly dropsEvents: boolean;
  readonly state: SyncState;
}

/**
 * A local copy of the five datasets. One process at a time writes it; a process that is killed leaves it as it was before or
 * after an update.
 */
export interface Copy {
  /** True where lines are kept as they came, whatever the version; else the fields are those that this program knows. */
  readonly isVerbatim: boolean;
  /**
   * Events that are worth an update. Smaller: a kill loses less; larger: fewer updates. A usual night has fewer, so readers see
   * whole days.
   */
  readonly batchEvents: number;
  /** Undefined where nothing was imported yet. */
  readonly state: () => Promise<SyncState | undefined>;
  /** A dataset's canonical lines in a version of the records, sorted by key; a copy that is verbatim has those of its own. */
  readonly lines: (dataset: DatasetName, version: string) => AsyncIterable<string>;
  /** Where those lines stand: a file or a table, as people know it. */
  readonly placeOf: (dataset: DatasetName) => string;
  /** All of it or, where it rejects, nothing. */
  readonly update: (update: Update) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** What is said of tables or files that are there but not of a copy: they must not be overwritten. */
export const NOT_A_COPY = 'but is not a copy that modelstats made; name another place, or remove it';

/** How far a sync has come. */
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
  /** Whether every event is kept too, from as far back as can be had. */
  readonly keepsHistory: boolean;
}

export interface SyncResult {
  /** `imported`: the whole state was loaded; `followed`: events were applied; `up_to_date`: there was nothing to do. */
  readonly status: 'imported' | 'followed' | 'up_to_date';
  readonly snapshot_id: string | null;
  readonly cursor: string | null;
  /** The point in time that the copy reflects, ISO 8601. */
  readonly data_as_of: string;
  /** Events that were applied. */
  readonly events: { readonly upsert: number; readonly delete: number };
  /** What the plan leaves out, and what was strange. */
  readonly warnings: readonly string[];
}
