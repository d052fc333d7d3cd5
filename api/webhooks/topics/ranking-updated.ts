import { z } from 'zod';
import { changeTopic, Seq } from './topic.ts';

interface Facts {
  readonly changed: number;
  readonly first_seq: number;
  readonly best_rank: number;
  readonly models: readonly string[];
}

/** One event per category with models that came, went or moved, at their highest seq. */
export const RANKING_UPDATED = changeTopic({
  name: 'ranking.updated',
  sentWhen: 'ranks or members of a category changed; once per category and night',
  data: z.strictObject({
    category_id: z.string(),
    changed: z.number().int().positive().describe('Models that moved, came or went'),
    first_seq: Seq,
    seq: Seq,
  }),
  dataset: 'rankings',
  compared: ['rank'],
  select: ({ changes, sameKey, differs, has }) => {
    // Without ranks the highest position is unknown: let the event pass.
    const best = has('rank') ? 'min(least(c.rank, b.rank))' : '1';
    return `SELECT max(c.seq) AS seq, NULL::VARCHAR AS model_id, c.category AS part,
        json_object('changed', count(*), 'first_seq', min(c.seq), 'best_rank', ${best},
          'models', coalesce(list(c.model_id) FILTER (c.model_id IN (SELECT id FROM watched)), []))::VARCHAR AS facts
      FROM (${changes}) c LEFT JOIN before_records b ON ${sameKey}
      WHERE c.op = 'delete' OR b.model_id IS NULL OR ${differs}
      GROUP BY c.category`;
  },
  contentFromRow: ({ seq, part, facts }) => {
    const { changed, first_seq, best_rank, models } = JSON.parse(facts) as Facts; // Made by the SELECT above.
    return { data: { category_id: part, changed, first_seq, seq }, models, bestRank: best_rank };
  },
});
