import { z } from 'zod';
import { AppError } from '../../runtime/errors.ts';
import { seqFromCursor } from '../../schemas/change.ts';
import { type DatasetName, mapDatasets } from '../../schemas/datasets.ts';
import { type DatasetFile, DatasetFileSchema, ManifestSchema, snapshotFromId } from '../../schemas/manifest.ts';
import type { Snapshots } from '../answers.ts';
import type { Answer } from '../client.ts';

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
