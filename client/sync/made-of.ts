import { z } from 'zod';
import { DATASET_NAMES } from '../../schemas/datasets.ts';
import type { ContentHashes, SyncState } from './copy.ts';

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
