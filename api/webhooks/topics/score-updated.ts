import { z } from 'zod';
import { changeTopic, Seq } from './topic.ts';

export const SCORE_UPDATED = changeTopic({
  name: 'score.updated',
  sentWhen: 'a score is added or corrected',
  data: z.strictObject({ model_id: z.string(), benchmark_id: z.string(), seq: Seq }),
  dataset: 'scores',
  compared: undefined,
  select: ({ changes }) => `SELECT c.seq, c.model_id, c.benchmark_id AS part, NULL::VARCHAR AS facts
    FROM (${changes}) c WHERE c.op = 'upsert'`,
  contentFromRow: ({ seq, model_id, part }) => ({ data: { model_id, benchmark_id: part, seq } }),
});
