import { z } from 'zod';
import { dayNumber } from '../../../runtime/day.ts';
import { type Condition, where, whereDay, whereId } from '../queries/conditions.ts';
import { MODEL_KEY, type SortKey } from '../queries/list-page.ts';
import { planScores, type ScoreSearch } from '../queries/score-plan.ts';
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
    sort: filters.sort === 'model_id' ? undefined : SORTS[filters.sort],
    plan: (view, query) => planScores(view, searchFrom(filters), query),
    key: [MODEL_KEY, BENCHMARK_KEY],
  }),
});

const BENCHMARK_KEY = { kind: 'benchmark', field: 'benchmark_id' } as const;

const VALUE = { sql: 'value', type: 'double', isNullable: false, scope: { column: 'value', type: 'DOUBLE' } } as const;

const SORTS: Readonly<Record<Exclude<ScoreFilters['sort'], 'model_id'>, SortKey>> = {
  value: { ...VALUE, isDescending: false },
  '-value': { ...VALUE, isDescending: true },
  '-measured_at': {
    sql: 'measured_at',
    type: 'day',
    isDescending: true,
    isNullable: true,
    scope: { column: 'measured_at', type: 'DATE' },
  },
};

function conditionsFrom(query: ScoreFilters): readonly Condition[] {
  return [
    ...whereId('model', 'model', { id: query.model, scope: 'model_id = ?' }),
    ...whereId('benchmark', 'benchmark', { id: query.benchmark, scope: 'benchmark_id = ?' }),
    ...whereId('source', 'score source', { id: query.source, scope: 'source = ?' }),
    ...where('value >= ?', query.min_value),
    ...where('value <= ?', query.max_value),
    ...whereDay('measured_at >=', query.measured_after),
    ...whereDay('measured_at <=', query.measured_before),
  ];
}

function searchFrom(query: ScoreFilters): ScoreSearch {
  const { model, benchmark, source, min_value: minValue, max_value: maxValue, sort } = query;
  const [fromDay, toDay] = [query.measured_after, query.measured_before].map((date) =>
    date === undefined ? undefined : dayNumber(date),
  );
  return { model, benchmark, source, minValue, maxValue, fromDay, toDay, order: ORDERS[sort] };
}

const ORDERS = { model_id: 'key', value: 'value', '-value': 'value', '-measured_at': 'measured_at' } as const;

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
  list: ({ category }) => ({
    table: 'benchmarks',
    conditions: where('category = ?', category),
    key: [{ kind: 'benchmark', field: 'id' }],
  }),
});
