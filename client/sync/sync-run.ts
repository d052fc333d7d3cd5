import type { DatasetName } from '../../schemas/datasets.ts';
import type { ModelstatsClient } from '../client.ts';
import type { Copy } from './copy.ts';
import type { Scratch } from './scratch.ts';

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
