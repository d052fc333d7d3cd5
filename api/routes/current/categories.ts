import { z } from 'zod';
import { dataRoute } from '../data-route.ts';
import { NO_PARAMETERS } from '../parameters-common.ts';

export const categoriesRoute = dataRoute({
  path: '/v1/categories',
  capability: 'current',
  summary: 'The categories that are ranked now',
  params: NO_PARAMETERS,
  query: NO_PARAMETERS,
  response: z
    .object({
      categories: z
        .array(
          z.object({
            id: z.string().describe('For the category parameters of other routes'),
            model_count: z.int().min(0).describe('Models ranked in it'),
          }),
        )
        .describe('By id'),
    })
    .meta({ id: 'Categories' }),
  errors: [],
  cacheControl: 'public, max-age=60',
  dependsOnToday: false,
  prepare: () => ({}),
  answer: async (_, { view }) => {
    const categories = await view.rows(
      'SELECT category AS id, count(*)::INTEGER AS model_count FROM rankings GROUP BY category ORDER BY category',
    );
    return JSON.stringify({ categories });
  },
});
