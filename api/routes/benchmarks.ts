import { z } from 'zod';
import { dataRoute } from '../data-route.ts';
import { id, limit, listCursor, NO_PARAMETERS } from '../parameters-common.ts';
import { listBody } from '../queries/json-text.ts';
import { findListCursorProblems, listPage, where } from '../queries/list-page.ts';
import { BenchmarkSchema, LIST_FIELDS } from '../records.ts';

export const benchmarksRoute = dataRoute({
  path: '/v1/benchmarks',
  capability: 'current',
  summary: 'Benchmarks',
  params: NO_PARAMETERS,
  query: z.object({
    category: id('What the benchmark measures', 'code').optional(),
    limit: limit(200, 50),
    cursor: listCursor,
  }),
  response: z
    .object({ benchmarks: z.array(BenchmarkSchema).describe('One page, by id'), ...LIST_FIELDS })
    .meta({ id: 'Benchmarks' }),
  errors: [],
  cacheControl: 'public, max-age=60',
  dependsOnToday: false,
  check: findListCursorProblems,
  prepare: ({ query }) => query,
  answer: async ({ category, ...page }, { view }) =>
    listBody(
      'benchmarks',
      await listPage(view, { table: 'benchmarks', conditions: where('category = ?', category), key: ['id'], ...page }),
    ),
});
