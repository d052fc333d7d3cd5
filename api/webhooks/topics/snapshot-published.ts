import { z } from 'zod';
import { releaseTopic, Seq } from './topic.ts';

/** Each release, with the seq of its newest change (specification "Topics"). */
export const SNAPSHOT_PUBLISHED = releaseTopic({
  name: 'snapshot.published',
  sentWhen: 'a night was published',
  data: z.strictObject({
    snapshot_id: z.string(),
    data_as_of: z.iso.datetime(),
    schema_version: z.string(),
    change_cursor: z.string(),
    seq: Seq,
  }),
  dataFromRelease: ({ manifest: { id, data_as_of, schema_version, change_cursor }, last_seq }) => ({
    snapshot_id: id,
    data_as_of,
    schema_version,
    change_cursor,
    seq: last_seq,
  }),
});
