import { z } from 'zod';
import { AppError, isAppError } from '../../runtime/errors.ts';
import { seqFromCursor } from '../../schemas/change.ts';
import { DATASET_NAMES, type DatasetName, mapDatasets } from '../../schemas/datasets.ts';
import { type DatasetFile, DatasetFileSchema, ManifestSchema, snapshotFromId } from '../../schemas/manifest.ts';
import type { ChangeEvent, Snapshots } from '../answers.ts';
import type { Answer } from '../client.ts';
import { type ClientError, CursorExpiredError, NotFoundError, NotInPlanError } from '../errors.ts';
import type { ContentHashes, FollowableState, SyncState } from './copy.ts';

/** A snapshot as far as a copy needs to know. */
export interface Snapshot {
  readonly id: string;
  readonly data_as_of: string;
  readonly schema_version: string;
  readonly change_cursor: string;
  /** The number in `change_cursor`. */
  readonly seq: number;
  readonly files: Readonly<Record<DatasetName, DatasetFile>>;
  /** The tag of the list, for its newest snapshot: while it holds, there is no newer one. */
  readonly listTag: string | null;
}

/** Keys may be added to any part. */
const ListedSchema = z.object({
  snapshots: z.array(
    z.object({
      ...ManifestSchema.shape,
      datasets: z.array(z.object({ ...DatasetFileSchema.shape, name: z.string() })),
    }),
  ),
});

/**
 * The snapshots of an answer, newest first, but for those in a version that is only announced: the feed goes on from the version
 * in force. Throws `corrupt` where the answer makes no sense.
 */
export function readSnapshots({ body, etag }: Pick<Answer<Snapshots>, 'body' | 'etag'>): readonly Snapshot[] {
  const { data, error } = ListedSchema.safeParse(body);
  if (data === undefined) throw corrupt(z.prettifyError(error).slice(0, 1000));
  return data.snapshots
    .filter(({ id }) => snapshotFromId(id)?.noticedMajor === null)
    .map(({ datasets, ...manifest }, index) => {
      const seq = seqFromCursor(manifest.change_cursor);
      if (seq === undefined) throw corrupt(`${manifest.change_cursor} is no cursor of the change feed`);
      const fileOf = (name: DatasetName): DatasetFile => {
        const file = datasets.find((candidate) => candidate.name === name);
        if (file === undefined) throw corrupt(`snapshot ${manifest.id} has no ${name}`);
        return { ...file, name };
      };
      return { ...manifest, seq, files: mapDatasets(fileOf), listTag: index === 0 ? etag : null };
    });
}

function corrupt(reason: string): AppError {
  return new AppError('corrupt', `the service's list of snapshots can't be understood: ${reason}`);
}

/**
 * What a copy was made of when it was last right, stored with it (`etags`): the tag of the list of snapshots or tags of the lists, with
 * which the next sync asks, and what its content was, so that a change by somebody else shows although nothing is new. A program that
 * was before this knows the tags alone.
 */
const MadeOfSchema = z
  .object({
    snapshots: z.string().nullish(),
    models: z.string().optional(),
    benchmarks: z.string().optional(),
    scores: z.string().optional(),
    rankings: z.string().optional(),
    content: z.record(z.enum(DATASET_NAMES), z.string()).nullish(),
  })
  .catch({});

export interface MadeOf extends Omit<z.infer<typeof MadeOfSchema>, 'content'> {
  /** Null: it can't be told, as the records have fields that this program doesn't know. Undefined: it was not noted. */
  readonly content?: ContentHashes | null | undefined;
}

/** Nothing is known of a copy whose note makes no sense: then it is made anew, or proven. */
export function madeOf({ etags }: Pick<SyncState, 'etags'>): MadeOf {
  try {
    return MadeOfSchema.parse(JSON.parse(etags ?? '{}'));
  } catch {
    return {};
  }
}

type Task =
  | { readonly do: 'nothing'; readonly warning?: string }
  | { readonly do: 'prove'; readonly warning?: undefined }
  | { readonly do: 'import'; readonly warning?: string }
  | { readonly do: 'follow'; readonly state: FollowableState; readonly warning?: undefined };

/** The snapshot that a new copy begins with: the oldest that the feed goes on from, where its events are wanted. */
export function baseOf(snapshots: readonly Snapshot[], newest: Snapshot, first: ChangeEvent | undefined): Snapshot {
  if (first === undefined) return newest;
  return snapshots.findLast(({ seq }) => seq >= first.seq - 1) ?? newest;
}

/** How a copy gets to the newest snapshot. */
export function whatToDo(
  state: SyncState | undefined,
  newest: Snapshot,
  { url, keepsHistory }: { readonly url: string; readonly keepsHistory: boolean },
): Task {
  if (state?.cursor === undefined || state.cursor === null) return { do: 'import' };
  if (state.url !== url) {
    return {
      do: 'import',
      warning: `the copy was made from ${state.url}; it is imported anew from ${url}, and events that were kept begin anew`,
    };
  }
  if (keepsHistory && state.history_from === null) {
    return {
      do: 'import',
      warning: 'no events were kept so far; the copy is imported anew to have them from the beginning',
    };
  }
  const isReached =
    state.snapshot_id === newest.id && state.cursor === newest.change_cursor && state.data_as_of === newest.data_as_of;
  if (isReached) return { do: 'prove' };
  const known = seqFromCursor(state.cursor) ?? 0;
  // With more events it is one that goes on from a snapshot that has been given an earlier day.
  if (state.snapshot_id !== null && newest.id < state.snapshot_id && newest.seq <= known) {
    const warning = `the newest snapshot of the service, ${newest.id}, is older than the copy, ${state.snapshot_id}; nothing was done`;
    return { do: 'nothing', warning };
  }
  if (known > newest.seq) {
    const warning = 'the service knows fewer events than the copy, as after a restored backup; all was imported anew';
    return { do: 'import', warning };
  }
  return { do: 'follow', state: { ...state, cursor: state.cursor } };
}

/** Why a feed that can't be followed leads to an import; undefined where an import would not help. */
export function reasonToImport(error: unknown): string | undefined {
  if (error instanceof CursorExpiredError) {
    return `the feed begins on ${error.retained_from ?? 'a later day'}, after the last sync; all was imported anew`;
  }
  if (isAppError(error, 'corrupt')) return `${error.message}; all was imported anew`;
  if (isLacking(error)) {
    return 'the plan does not include the change feed; each sync imports the whole snapshot';
  }
  return undefined;
}

/** True where the plan, or the service, has no snapshots at all. */
export function isLacking(error: unknown): error is ClientError {
  return isNotInPlan(error) || (error instanceof NotFoundError && error.code === 'not_found' && error.param === null);
}

/** Whatever stands between may answer 403 too, for reasons of its own. */
function isNotInPlan(error: unknown): error is NotInPlanError {
  return error instanceof NotInPlanError && error.code === 'feature_not_in_plan';
}
