import { z } from 'zod';
import { methodOfCategory, type RankingMethods } from '../../../schemas/release.ts';
import type { View } from '../../view/view.ts';
import { assertKnown, whereId } from '../queries/conditions.ts';
import { MODEL_KEY } from '../queries/list-page.ts';
import { dataRoute } from '../responses/data-route.ts';
import { all, contentOf, inForce, value } from '../responses/dependencies.ts';
import { listRoute } from '../responses/list-route.ts';
import { idOf } from '../responses/parameters.ts';
import { EXAMPLE_RANKINGS, RankingSchema } from '../responses/records.ts';

export const rankingsRoute = listRoute({
  path: '/v1/rankings',
  operationId: 'listRankings',
  limitPerMinute: 60,
  summary: 'The ranking of a category',
  description: 'By rank, ties by id. A category that is no longer ranked is empty.',
  filters: z.object({ category: idOf('category', 'The category; GET /v1/categories lists them', 'text') }),
  limit: { max: 50, fallback: 10 },
  bodyName: 'Rankings',
  records: { name: 'rankings', schema: z.array(RankingSchema).describe('One page, by rank') },
  before: {
    schema: {
      category: z.string().describe('As requested'),
      ranked_at: z.iso.datetime().nullable().describe('Capture that brought the current rankings; null before any'),
      method: z.string().nullable().describe('Method of the ranking, as its source states; null if it states none'),
    },
    values: ({ category }, { view }) => {
      return {
        category: JSON.stringify(category),
        ranked_at: JSON.stringify(rankedAt(view)),
        method: JSON.stringify(methodOf(view, category)),
      };
    },
  },
  example: {
    category: 'text',
    ranked_at: '2026-06-29T23:59:59Z',
    method: 'bradley-terry',
    rankings: EXAMPLE_RANKINGS,
    total: 20,
    next_cursor: 'ZmE3M2IzMjlbIjIiLCJjbGF1ZGUtb3B1cy00LTYtdGhpbmtpbmciXQ',
  },
  dependsOnText: 'the rankings, and how they are made',
  dependsOn: (_, { view }) => all(contentOf(view, ['rankings']), inForce(view.rankingMethods), value(rankedAt(view))),
  assertExists: async ({ category }, { view }) => assertKnown(view, 'category', { id: category, param: 'category' }),
  list: ({ category }) => ({
    table: 'rankings',
    conditions: whereId('category', 'category', { id: category, scope: 'category = ?' }),
    sort: {
      sql: 'rank',
      type: 'integer',
      isDescending: false,
      isNullable: false,
      scope: { column: 'rank', type: 'INTEGER' },
    },
    key: [MODEL_KEY],
  }),
});

function methodOf(view: View, category: string): string | null {
  // Written by the view, from a release that was parsed.
  return methodOfCategory(JSON.parse(view.rankingMethods.value) as RankingMethods | null, category);
}

/** The capture that brought the current rankings; later identical ones don't count. Null before the first. */
function rankedAt(view: View): string | null {
  const captures = view.capturesOf('rankings');
  const { since } = view.contentOf('rankings');
  const captured = captures.findLast(({ day }) => day <= since.day) ?? captures[0];
  return captured?.data_as_of ?? null;
}

export const categoriesRoute = dataRoute({
  path: '/v1/categories',
  operationId: 'listCategories',
  capability: 'current',
  feature: null,
  limitPerMinute: 60,
  summary: 'The categories that are ranked now',
  response: z
    .object({
      categories: z
        .array(
          z
            .object({
              id: z.string().describe('For the category parameters of other routes'),
              model_count: z.int().min(0).describe('Models ranked in it'),
            })
            .meta({ id: 'Category' }),
        )
        .describe('By id'),
    })
    .meta({ id: 'Categories' }),
  csv: 'categories',
  example: {
    categories: [
      { id: 'code', model_count: 20 },
      { id: 'text', model_count: 20 },
    ],
  },
  dependsOnText: 'the rankings',
  errors: [],
  cacheControl: 'public, max-age=60',
  prepare: () => ({}),
  handle: () => ({
    dependsOn: ({ view }) => contentOf(view, ['rankings']),
    cached: async ({ view }) => {
      const categories = view.rows(
        `SELECT id, count(*) AS model_count FROM rankings JOIN ids ON kind = 'category' AND number = category
         GROUP BY category ORDER BY category`,
      );
      return JSON.stringify({ categories });
    },
  }),
});
