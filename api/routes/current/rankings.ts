import { z } from 'zod';
import { listRoute } from '../../answers/list-route.ts';
import { id } from '../../answers/parameters.ts';
import { EXAMPLE_RANKINGS, RankingSchema } from '../../answers/records.ts';
import { where } from '../../queries/list-page.ts';

export const rankingsRoute = listRoute({
  path: '/v1/rankings',
  limitPerMinute: 60,
  summary: 'The ranking of a category',
  description: 'By rank, models that share one by id.',
  filters: z.object({ category: id('The category; GET /v1/categories lists them', 'text') }),
  limit: { max: 50, fallback: 10 },
  bodyName: 'Rankings',
  records: { name: 'rankings', schema: z.array(RankingSchema).describe('One page, by rank') },
  before: {
    schema: {
      category: z.string().describe('As asked for'),
      ranked_at: z.iso.datetime().nullable().describe('When rankings were last captured'),
      method: z.literal('trueskill').describe('How skill is estimated'),
    },
    values: ({ category }, { view }) => {
      const ranked = view.meta.catalog.releases.findLast(({ captured }) => captured.includes('rankings'));
      return {
        category: JSON.stringify(category),
        ranked_at: JSON.stringify(ranked?.data_as_of ?? null),
        method: '"trueskill"',
      };
    },
  },
  example: {
    category: 'text',
    ranked_at: '2026-06-29T23:59:59Z',
    method: 'trueskill',
    rankings: EXAMPLE_RANKINGS,
    total: 20,
    next_cursor: 'ZmE3M2IzMjlbIjIiLCJjbGF1ZGUtb3B1cy00LTYtdGhpbmtpbmciXQ',
  },
  dependsOnToday: false,
  list: ({ category }) => ({
    table: 'rankings',
    conditions: where('category = ?', category),
    sort: { column: 'rank', isDescending: false, type: 'INTEGER' },
    key: ['model_id'],
  }),
});
