import { z } from 'zod';
import { number, text } from '../../../../storage/duckdb/row-shape.ts';
import { dataRoute } from '../../answers/data-route.ts';
import { contentOf } from '../../answers/dependencies.ts';

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
  example: {
    categories: [
      { id: 'code', model_count: 20 },
      { id: 'text', model_count: 20 },
    ],
  },
  errors: [],
  cacheControl: 'public, max-age=60',
  prepare: () => ({}),
  answer: () => ({
    dependsOn: ({ view }) => contentOf(view, ['rankings']),
    cached: async ({ view }) => {
      const categories = await view.rows(
        { id: text, model_count: number },
        'SELECT category AS id, count(*)::INTEGER AS model_count FROM rankings GROUP BY category ORDER BY category',
      );
      return JSON.stringify({ categories });
    },
  }),
});
