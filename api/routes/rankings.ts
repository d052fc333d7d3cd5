import { z } from 'zod';
import { dataRoute } from '../data-route.ts';
import { id, limit, listCursor, NO_PARAMETERS } from '../parameters-common.ts';
import { listBody } from '../queries/json-text.ts';
import { findListCursorProblems, listPage, where } from '../queries/list-page.ts';
import { LIST_FIELDS, RankingSchema } from '../records.ts';

export const rankingsRoute = dataRoute({
  path: '/v1/rankings',
  capability: 'current',
  summary: 'The ranking of a category',
  description: 'By rank, models that share one by id.',
  params: NO_PARAMETERS,
  query: z.object({
    category: id('The category; GET /v1/categories lists them', 'text'),
    limit: limit(50, 10),
    cursor: listCursor,
  }),
  response: z
    .object({
      category: z.string().describe('As asked for'),
      ranked_at: z.iso.datetime().nullable().describe('When rankings were last captured'),
      method: z.literal('trueskill').describe('How skill is estimated'),
      rankings: z.array(RankingSchema).describe('One page, by rank'),
      ...LIST_FIELDS,
    })
    .meta({ id: 'Rankings' }),
  errors: [],
  cacheControl: 'public, max-age=60',
  dependsOnToday: false,
  check: findListCursorProblems,
  prepare: ({ query }) => query,
  answer: async ({ category, ...page }, { view }) => {
    const ranked = view.meta.catalog.releases.findLast(({ captured }) => captured.includes('rankings'));
    const found = await listPage(view, {
      table: 'rankings',
      conditions: where('category = ?', category),
      sort: { column: 'rank', isDescending: false, type: 'INTEGER' },
      key: ['model_id'],
      ...page,
    });
    return listBody('rankings', found, {
      category: JSON.stringify(category),
      ranked_at: JSON.stringify(ranked?.data_as_of ?? null),
      method: '"trueskill"',
    });
  },
});
