import { z } from 'zod';
import type { Release } from '../../../schemas/release.ts';
import { Seq } from './topic.ts';

/** Made from no change: a release has one event of it. */
export const SNAPSHOT_PUBLISHED = {
  name: 'snapshot.published',
  sentWhen: 'a night was published',
  data: z.strictObject({
    snapshot_id: z.string(),
    data_as_of: z.iso.datetime(),
    schema_version: z.string(),
    change_cursor: z.string(),
    seq: Seq,
  }),
} as const;

export interface SnapshotPublished {
  readonly topic: 'snapshot.published';
  readonly data: Readonly<z.infer<typeof SNAPSHOT_PUBLISHED.data>>;
}

/** That a release's snapshot is there, sent with its newest change (specification "Topics"). */
export function snapshotPublished({ manifest, last_seq }: Pick<Release, 'manifest' | 'last_seq'>): SnapshotPublished {
  const { id, data_as_of, schema_version, change_cursor } = manifest;
  return {
    topic: SNAPSHOT_PUBLISHED.name,
    data: { snapshot_id: id, data_as_of, schema_version, change_cursor, seq: last_seq },
  };
}
