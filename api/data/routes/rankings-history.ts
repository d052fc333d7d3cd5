import { z } from 'zod';
import { number, text } from '../../../storage/duckdb/row-shape.ts';
import { TOP_POSITIONS_MAX } from '../../view/tables/view-tables.ts';
import { assertKnown } from '../queries/conditions.ts';
import { withPositions } from '../queries/history-points.ts';
import { dataRoute, jsonArray, jsonObject } from '../responses/data-route.ts';
import { idOf, integer } from '../responses/parameters.ts';
import { EXAMPLE_RANKINGS } from '../responses/records.ts';
import {
  findRangeProblems,
  historyDependency,
  RANGE,
  RankingsHistorySchema,
  resolveRange,
  windowText,
} from './history-range.ts';

/** `GET /v1/rankings/history` (specification "Rankings history"). */
export const rankingsHistoryRoute = dataRoute({
  path: '/v1/rankings/history',
  operationId: 'getRankingsHistory',
  capability: 'history',
  feature: 'history',
  limitPerMinute: 60,
  summary: 'Daily history of the top positions of a category',
  description: 'One point per date and position; a tie has one per model, by model id.',
  query: z.object({
    category_id: idOf('category', 'The category', 'text'),
    ...RANGE,
    top: integer({
      min: 1,
      max: TOP_POSITIONS_MAX,
      fallback: 10,
      description: 'Positions per date, ties counted once',
    }),
  }),
  response: RankingsHistorySchema,
  example: {
    category_id: 'text',
    kind: 'ranking',
    points: EXAMPLE_RANKINGS.map(({ model_id, category, rank, trueskill_mu, trueskill_sigma }) => ({
      date: '2026-06-29',
      value: rank,
      model_id,
      category_id: category,
      payload: { positions: 20, trueskill_mu, trueskill_sigma },
      source: 'capture',
    })),
    window: {
      from: '2026-06-29',
      to: '2026-06-30',
      plan_limit_from: '2025-06-30',
      available_from: '2026-03-19',
    },
  },
  dependsOnText: 'the captures of the rankings within the range, and `available_from`',
  errors: ['not_found', 'history_window_exceeded'],
  cacheControl: 'private, max-age=60',
  check: findRangeProblems,
  prepare: ({ query }, context) => {
    const { category_id: category, top, from, to } = query;
    return { category, top, ...resolveRange({ from, to }, context) };
  },
  handle: ({ category, top, ...range }) => ({
    dependsOn: ({ view, today }) => historyDependency(view, 'ranking', range, today),
    assertExists: ({ view }) => assertKnown(view, 'category', { id: category, param: 'category_id' }),
    cached: async ({ view }) => {
      const rows = await view.rows(
        { day: text, rank: number, model_id: text, payload: text, positions: number },
        `SELECT CAST(c.day AS VARCHAR) AS day, p.rank, p.model_id, p.payload, c.positions
         FROM positions p JOIN ranking_counts c
           ON c.category = p.category AND c.day >= p.valid_from AND (p.valid_to IS NULL OR c.day <= p.valid_to)
         WHERE p.category = $1 AND c.category = $1 AND p.rank <= $2::INTEGER
           AND c.day BETWEEN $3::VARCHAR::DATE AND $4::VARCHAR::DATE
         ORDER BY c.day, p.rank, p.model_id`,
        [category, top, range.from, range.to],
      );
      if (rows.length === 0) await assertKnown(view, 'category', { id: category, param: 'category_id' });
      const points = rows.map(({ day, rank, model_id: model, payload, positions }) =>
        jsonObject({
          date: JSON.stringify(day),
          value: String(rank),
          model_id: JSON.stringify(model),
          category_id: JSON.stringify(category),
          payload: withPositions(payload, positions),
          source: '"capture"',
        }),
      );
      return jsonObject({
        category_id: JSON.stringify(category),
        kind: '"ranking"',
        points: jsonArray(points),
        window: windowText(view, 'ranking', range),
      });
    },
  }),
});
