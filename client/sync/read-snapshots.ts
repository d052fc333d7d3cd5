import { z } from 'zod';
import { AppError, isAppError } from '../../runtime/errors.ts';
import { seqFromCursor } from '../../schemas/change.ts';
import { DATASET_NAMES, type DatasetName, mapDatasets } from '../../schemas/datasets.ts';
import { type DatasetFile, DatasetFileSchema, ManifestSchema, snapshotFromId } from '../../schemas/manifest.ts';
import type { ChangeEvent, Snapshots } from '../answers.ts';
import type { Answer } from '../client.ts';
import { type ClientError, CursorExpiredError, NotFoundError, NotInPlanError } from '../errors.ts';
import type { ContentHashes, FollowableState, SyncState } from './copy.ts';

export interface Snapshot {
  readonly id: string;
  readonly data_as_of: string;
  readonly schema_version: string;
  readonly change_cursor: string;
  /** The number in `change_cursor`. */
  readonly seq: number;
  readonly files: Readonly<Record<DatasetName, DatasetFile>>;
  /** The list's ETag, for the newest snapshot: unchanged, there is no newer one. */
  readonly listTag: string | null;
}

/** Other fields may be added. */
const ListedSchema = z.object({
  snapshots: z.array(
    z.object({
      ...ManifestSchema.shape,
      datasets: z.array(z.object({ ...DatasetFileSchema.omit({ terms: true }).shape, name: z.string() })),
    }),
  ),
});

/**
 * The listed snapshots, newest first, without those in a version under notice: the feed continues the version in force.
 * Throws `corrupt` for an invalid list.
 */
export function readSnapshots({ body, etag }: Pick<Answer<Snapshots>, 'body' | 'etag'>): readonly Snapshot[] {
  const { data, error } = ListedSchema.safeParse(body);
  if (data === undefined) throw corrupt(z.prettifyError(error).slice(0, 1000));
  return data.snapshots
    .filter(({ id }) => snapshotFromId(id)?.noticedMajor === null)
    .map(({ datasets, ...manifest }, index) => {
      const seq = seqFromCursor(manifest.change_cursor);
      if (seq === undefined) throw corrupt(`${manifest.change_cursor} is not a cursor of the change feed`);
      const fileOf = (name: DatasetName): DatasetFile => {
        const file = datasets.find((candidate) => candidate.name === name);
        if (file === undefined) throw corrupt(`snapshot ${manifest.id} has no ${name}`);
        return { ...file, name };
      };
      return { ...manifest, seq, files: mapDatasets(fileOf), listTag: index === 0 ? etag : null };
    });
}

function corrupt(reason: string): AppError {
  return new AppError('corrupt', `the service's list of snapshots is invalid: ${reason}`);
}

/**
 * ETags of the responses that the last verified copy came from, and its content hashes, which reveal changes by others
 * (`etags` in the state). Older programs stored only the ETags.
 */
const ProvenanceSchema = z
  .object({
    snapshots: z.string().nullish(),
    models: z.string().optional(),
    benchmarks: z.string().optional(),
    scores: z.string().optional(),
    rankings: z.string().optional(),
    content: z.record(z.enum(DATASET_NAMES), z.string()).nullish(),
  })
  .catch({});

export interface Provenance extends Omit<z.infer<typeof ProvenanceSchema>, 'content'> {
  /** Null: not comparable, since records have unknown fields. Undefined: not stored. */
  readonly content?: ContentHashes | null | undefined;
}

/** Invalid JSON gives nothing, so the copy is imported or verified again. */
export function provenanceOf({ etags }: Pick<SyncState, 'etags'>): Provenance {
  try {
    return ProvenanceSchema.parse(JSON.parse(etags ?? '{}'));
  } catch {
    return {};
  }
}

type Task =
  | { readonly do: 'nothing'; readonly warning?: string }
  | { readonly do: 'verify'; readonly warning?: undefined }
  | { readonly do: 'import'; readonly warning?: string }
  | { readonly do: 'follow'; readonly state: FollowableState; readonly warning?: undefined };

/** The snapshot to start a new copy from: the oldest that the feed continues, if events are stored. */
export function baseOf(snapshots: readonly Snapshot[], newest: Snapshot, first: ChangeEvent | undefined): Snapshot {
  if (first === undefined) return newest;
  return snapshots.findLast(({ seq }) => seq >= first.seq - 1) ?? newest;
}

export function planSync(
  state: SyncState | undefined,
  newest: Snapshot,
  { url, keepsHistory }: { readonly url: string; readonly keepsHistory: boolean },
): Task {
  if (state?.cursor === undefined || state.cursor === null) return { do: 'import' };
  if (state.url !== url) {
    return {
      do: 'import',
      warning: `the copy was made from ${state.url}; it is imported again from ${url}, and stored events start again`,
    };
  }
  if (keepsHistory && state.history_from === null) {
    return {
      do: 'import',
      warning: 'no events were stored so far; the copy is imported again to have them from the beginning',
    };
  }
  const isReached =
    state.snapshot_id === newest.id && state.cursor === newest.change_cursor && state.data_as_of === newest.data_as_of;
  if (isReached) return { do: 'verify' };
  const known = seqFromCursor(state.cursor) ?? 0;
  // With more events, it continues a snapshot that was redated.
  if (state.snapshot_id !== null && newest.id < state.snapshot_id && newest.seq <= known) {
    const warning = `the newest snapshot of the service, ${newest.id}, is older than the copy, ${state.snapshot_id}; nothing was changed`;
    return { do: 'nothing', warning };
  }
  if (known > newest.seq) {
    const warning =
      'the service has fewer events than the copy, as after a restored backup; everything was imported again';
    return { do: 'import', warning };
  }
  return { do: 'follow', state: { ...state, cursor: state.cursor } };
}

/** Why a feed that can't be followed leads to an import; undefined if an import wouldn't help. */
export function reasonToImport(error: unknown): string | undefined {
  if (error instanceof CursorExpiredError) {
    return `the feed begins on ${error.retained_from ?? 'a later day'}, after the last sync; everything was imported again`;
  }
  if (isAppError(error, 'corrupt')) return `${error.message}; everything was imported again`;
  if (isLacking(error)) {
    return 'the plan does not include the change feed; each sync imports the whole snapshot';
  }
  return undefined;
}

/** Whether the plan or the service has no snapshots at all. */
export function isLacking(error: unknown): error is ClientError {
  return isNotInPlan(error) || (error instanceof NotFoundError && error.code === 'not_found' && error.param === null);
}

/** Proxies may send 403 too. */
function isNotInPlan(error: unknown): error is NotInPlanError {
  return error instanceof NotInPlanError && error.code === 'feature_not_in_plan';
}
