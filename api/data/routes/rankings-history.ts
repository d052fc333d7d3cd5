import { z } from 'zod';
import { TOP_POSITIONS_MAX } from '../../view/schema.ts';
import { assertKnown } from '../queries/conditions.ts';
import { rankedPoints } from '../queries/ranking-points.ts';
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
  csv: 'points',
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
    assertExists: async ({ view }) => assertKnown(view, 'category', { id: category, param: 'category_id' }),
    cached: async ({ view }) => {
      const points = rankedPoints(view, { category, top, ...range });
      if (points.length === 0) assertKnown(view, 'category', { id: category, param: 'category_id' });
      return jsonObject({
        category_id: JSON.stringify(category),
        kind: '"ranking"',
        points: jsonArray(points),
        window: windowText(view, 'ranking', range),
      });
    },
  }),
});
