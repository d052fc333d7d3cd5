import { z } from 'zod';
import { changeTopic, Seq } from './topic.ts';

/** Upserts of models that were absent before the night. */
export const MODEL_CREATED = changeTopic({
  name: 'model.created',
  sentWhen: 'a model is added, or comes back',
  data: z.strictObject({ model_id: z.string(), seq: Seq }),
  dataset: 'models',
  compared: [],
  select: ({ changes, sameKey }) => `SELECT c.seq, c.id AS model_id, NULL::VARCHAR AS part, NULL::VARCHAR AS facts
    FROM (${changes}) c ANTI JOIN before_records b ON ${sameKey} WHERE c.op = 'upsert'`,
  contentFromRow: ({ seq, model_id }) => ({ data: { model_id, seq } }),
});
