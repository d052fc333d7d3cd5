import { z } from 'zod';
import { type ListOrder, SCORE_ORDERS, SCORE_SOURCE } from '../../view/tables/list-orders.ts';
import { type Condition, where } from '../queries/conditions.ts';
import type { FasterTables } from '../queries/list-page.ts';
import { contentOf } from '../responses/dependencies.ts';
import { listRoute } from '../responses/list-route.ts';
import { day, decimal, id, idOf, oneOf } from '../responses/parameters.ts';
import { BenchmarkSchema, EXAMPLE_BENCHMARK, EXAMPLE_SCORE, ScoreSchema } from '../responses/records.ts';

const ScoreFiltersSchema = z.object({
  model: idOf('model', 'The model', 'gpt-5').optional(),
  benchmark: idOf('benchmark', 'The benchmark', 'aider-polyglot--percent-correct').optional(),
  source: id('Source of the score', 'official').optional(),
  min_value: decimal({ description: 'Minimum score', example: 50 }).optional(),
  max_value: decimal({ description: 'Maximum score', example: 90.5 }).optional(),
  measured_after: day({ description: 'Measured on this day or later', example: '2026-01-01' }).optional(),
  measured_before: day({ description: 'Measured on this day or earlier', example: '2026-06-29' }).optional(),
  sort: oneOf(['model_id', 'value', '-value', '-measured_at'], {
    description: 'Order; a minus reverses it; records without the value come last',
  })
    .default('model_id')
    .meta({ default: 'model_id' }),
});
type ScoreFilters = z.infer<typeof ScoreFiltersSchema>;

export const scoresRoute = listRoute({
  path: '/v1/scores',
  operationId: 'listScores',
  limitPerMinute: 120,
  summary: 'Scores, with filters',
  filters: ScoreFiltersSchema,
  limit: { max: 500, fallback: 100 },
  bodyName: 'Scores',
  records: { name: 'scores', schema: z.array(ScoreSchema).describe('One page, in the requested order') },
  example: {
    scores: [EXAMPLE_SCORE],
    total: 1,
    next_cursor: null,
  },
  dependsOnText: 'the scores',
  dependsOn: (_, { view }) => contentOf(view, ['scores']),
  list: (filters) => ({
    table: 'scores',
    conditions: conditionsFrom(filters),
    sort: orderFrom(filters)?.sort,
    faster: fasterTables(filters),
    key: ['model_id', 'benchmark_id'],
  }),
});

function orderFrom({ sort }: ScoreFilters): ListOrder | undefined {
  return sort === 'model_id' ? undefined : SCORE_ORDERS[sort];
}

function fasterTables(filters: ScoreFilters): FasterTables | undefined {
  // The sorted tables have no models; for one model they aren't needed.
  if (filters.model !== undefined) return undefined;
  const isDated = filters.measured_after !== undefined || filters.measured_before !== undefined;
  // A sorted table counts blocks inside or outside the bounds without reading them.
  const { table: counted } = SCORE_ORDERS[isDated ? '-measured_at' : 'value'];
  // A source unknown to the view: NULL, which equals nothing.
  const conditions = conditionsFrom(filters, `TRY_CAST(?::VARCHAR AS ${SCORE_SOURCE})`);
  return { sorted: orderFrom(filters)?.table, counted, conditions };
}

/** @param source the SQL that a `source` is compared with */
function conditionsFrom(query: ScoreFilters, source = '?'): readonly Condition[] {
  return [
    ...where('model_id = ?', query.model),
    ...where('benchmark_id = ?', query.benchmark),
    ...where(`source = ${source}`, query.source),
    ...where('value >= ?', query.min_value),
    ...where('value <= ?', query.max_value),
    ...where('measured_at >= ?::VARCHAR::DATE', query.measured_after),
    ...where('measured_at <= ?::VARCHAR::DATE', query.measured_before),
  ];
}

export const benchmarksRoute = listRoute({
  path: '/v1/benchmarks',
  operationId: 'listBenchmarks',
  limitPerMinute: 60,
  summary: 'Benchmarks',
  filters: z.object({ category: id('What the benchmark measures', 'code').optional() }),
  limit: { max: 200, fallback: 50 },
  bodyName: 'Benchmarks',
  records: { name: 'benchmarks', schema: z.array(BenchmarkSchema).describe('One page, by id') },
  example: {
    benchmarks: [EXAMPLE_BENCHMARK],
    total: 107,
    next_cursor: 'YjE4YWM1MWJbImFpZGVyLXBvbHlnbG90LS1wZXJjZW50LWNvcnJlY3QiXQ',
  },
  dependsOnText: 'the benchmarks',
  dependsOn: (_, { view }) => contentOf(view, ['benchmarks']),
  list: ({ category }) => ({ table: 'benchmarks', conditions: where('category = ?', category), key: ['id'] }),
});
