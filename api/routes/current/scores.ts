import { z } from 'zod';
import { dataRoute } from '../data-route.ts';
import { day, decimal, oneOf } from '../parameters.ts';
import { id, limit, listCursor, NO_PARAMETERS } from '../parameters-common.ts';
import { listBody } from '../queries/json-text.ts';
import { type Condition, findListCursorProblems, listPage, type SortKey, where } from '../queries/list-page.ts';
import { LIST_FIELDS, ScoreSchema } from '../records.ts';

const ScoresQuerySchema = z.object({
  model: id('The model', 'gpt-5').optional(),
  benchmark: id('The benchmark', 'aider-polyglot--percent-correct').optional(),
  source: id('Who measured', 'official').optional(),
  min_value: decimal({ description: 'Least score', example: 50 }).optional(),
  max_value: decimal({ description: 'Greatest score', example: 90.5 }).optional(),
  measured_after: day({ description: 'Measured on this day or later', example: '2026-01-01' }).optional(),
  measured_before: day({ description: 'Measured on this day or earlier', example: '2026-06-29' }).optional(),
  sort: oneOf(['model_id', 'value', '-value', '-measured_at'], {
    description: 'Order; a minus turns it round; records without the value come last',
  })
    .default('model_id')
    .meta({ default: 'model_id' }),
  limit: limit(500, 100),
  cursor: listCursor,
});
type ScoresQuery = z.infer<typeof ScoresQuerySchema>;

export const scoresRoute = dataRoute({
  path: '/v1/scores',
  capability: 'current',
  summary: 'Scores, with filters',
  params: NO_PARAMETERS,
  query: ScoresQuerySchema,
  response: z
    .object({ scores: z.array(ScoreSchema).describe('One page, in the order asked for'), ...LIST_FIELDS })
    .meta({ id: 'Scores' }),
  errors: [],
  cacheControl: 'public, max-age=60',
  dependsOnToday: false,
  check: findListCursorProblems,
  prepare: ({ query }) => query,
  answer: async (query, { view }) => {
    const page = await listPage(view, {
      table: 'scores',
      conditions: conditionsFrom(query),
      sort: SORT_KEYS[query.sort],
      key: ['model_id', 'benchmark_id'],
      limit: query.limit,
      cursor: query.cursor,
    });
    return listBody('scores', page);
  },
});

const SORT_KEYS: Readonly<Record<ScoresQuery['sort'], SortKey | undefined>> = {
  model_id: undefined,
  value: { column: 'value', isDescending: false, type: 'DOUBLE' },
  '-value': { column: 'value', isDescending: true, type: 'DOUBLE' },
  '-measured_at': { column: 'measured_at', isDescending: true, type: 'DATE' },
};

function conditionsFrom(query: ScoresQuery): readonly Condition[] {
  return [
    ...where('model_id = ?', query.model),
    ...where('benchmark_id = ?', query.benchmark),
    ...where('source = ?', query.source),
    ...where('value >= ?', query.min_value),
    ...where('value <= ?', query.max_value),
    ...where('measured_at >= ?::VARCHAR::DATE', query.measured_after),
    ...where('measured_at <= ?::VARCHAR::DATE', query.measured_before),
  ];
}
