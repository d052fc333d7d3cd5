import { z } from 'zod';
import { TOP_POSITIONS_MAX } from '../../schemas/datasets.ts';
import { dataRoute } from '../data-route.ts';
import { findRangeProblems, resolveRange } from '../history-range.ts';
import { RankingsHistorySchema } from '../history-schemas.ts';
import { integer } from '../parameters.ts';
import { id, NO_PARAMETERS, RANGE } from '../parameters-common.ts';
import { withPositions } from '../queries/history-points.ts';
import { windowText } from '../queries/history-window.ts';
import { jsonArray, jsonObject } from '../queries/json-text.ts';
import { assertKnown } from '../queries/known.ts';

/** `GET /v1/rankings/history` (SPEC). */
export const rankingsHistoryRoute = dataRoute({
  path: '/v1/rankings/history',
  capability: 'history',
  summary: 'Daily history of the top positions of a category',
  description: 'A point per date and position; a tie has one for each model, by model id.',
  params: NO_PARAMETERS,
  query: z.object({
    category_id: id('The category', 'text'),
    ...RANGE,
    top: integer({
      min: 1,
      max: TOP_POSITIONS_MAX,
      fallback: 10,
      description: 'Positions per date, ties counted once',
    }),
  }),
  response: RankingsHistorySchema,
  errors: ['not_found', 'history_window_exceeded'],
  cacheControl: 'private, max-age=60',
  dependsOnToday: true,
  check: findRangeProblems,
  prepare: ({ query }, context) => {
    const { category_id: category, top, from, to } = query;
    return { category, top, ...resolveRange({ from, to }, context) };
  },
  answer: async ({ category, top, ...range }, { view }) => {
    const [rows, window] = await Promise.all([
      view.rows(
        `SELECT CAST(c.day AS VARCHAR) AS day, p.rank, p.model_id, p.payload, c.positions
         FROM positions p JOIN ranking_counts c
           ON c.category = p.category AND c.day >= p.valid_from AND (p.valid_to IS NULL OR c.day <= p.valid_to)
         WHERE p.category = $1 AND c.category = $1 AND p.rank <= $2::INTEGER
           AND c.day BETWEEN $3::VARCHAR::DATE AND $4::VARCHAR::DATE
         ORDER BY c.day, p.rank, p.model_id`,
        [category, top, range.from, range.to],
      ),
      windowText(view, 'ranking', range),
    ]);
    if (rows.length === 0) await assertKnown(view, 'category', { id: category, param: 'category_id' });
    const points = rows.map(({ day, rank, model_id: model, payload, positions }) =>
      jsonObject({
        date: JSON.stringify(day),
        value: String(rank),
        model_id: JSON.stringify(model),
        category_id: JSON.stringify(category),
        payload: withPositions(String(payload), Number(positions)),
        source: '"capture"',
      }),
    );
    return jsonObject({
      category_id: JSON.stringify(category),
      kind: '"ranking"',
      points: jsonArray(points),
      window,
    });
  },
});
