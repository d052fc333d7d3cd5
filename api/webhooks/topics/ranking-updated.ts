import { z } from 'zod';
import { changeTopic, type RankMoves, Seq } from './topic.ts';

interface Facts {
  readonly changed: number;
  readonly first_seq: number;
  readonly best_rank: number;
  readonly models: readonly string[];
  /** Null without ranks. */
  readonly moves: RankMoves | null;
}

const IS_WATCHED = 'c.model_id IN (SELECT id FROM watched)';
// The better of both ranks is the new one of a model that rises, the old one of a model that falls.
const MOVES = `json_object('up', ${moveSql('c.rank < b.rank', 'c.rank')}, 'down', ${moveSql('c.rank > b.rank', 'b.rank')})`;

function moveSql(isMove: string, best: string): string {
  return `json_object('best_rank', min(${best}) FILTER (${isMove}),
    'watched', coalesce(list({id: c.model_id, best_rank: ${best}}) FILTER (${isMove} AND ${IS_WATCHED}), []))`;
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
    const moves = has('rank') ? MOVES : 'NULL';
    return `SELECT max(c.seq) AS seq, NULL::VARCHAR AS model_id, c.category AS part,
        json_object('changed', count(*), 'first_seq', min(c.seq), 'best_rank', ${best},
          'models', coalesce(list(c.model_id) FILTER (${IS_WATCHED}), []), 'moves', ${moves})::VARCHAR AS facts
      FROM (${changes}) c LEFT JOIN before_records b ON ${sameKey}
      WHERE c.op = 'delete' OR b.model_id IS NULL OR ${differs}
      GROUP BY c.category`;
  },
  contentFromRow: ({ seq, part, facts }) => {
    const { changed, first_seq, best_rank, models, moves } = JSON.parse(facts) as Facts; // Made by the SELECT above.
    const event = { data: { category_id: part, changed, first_seq, seq }, models, bestRank: best_rank };
    return moves === null ? event : { ...event, ranks: moves };
  },
});
