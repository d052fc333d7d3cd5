import { z } from 'zod';
import { contentOf } from '../../answers/dependencies.ts';
import { listRoute } from '../../answers/list-route.ts';
import { id } from '../../answers/parameters.ts';
import { BenchmarkSchema } from '../../answers/records.ts';
import { where } from '../../queries/conditions.ts';

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
    benchmarks: [
      {
        id: 'aider-polyglot--percent-correct',
        name: 'Aider Polyglot / percent correct',
        category: null,
        model_count: 31,
        updated_at: '2026-06-04T23:30:39Z',
      },
    ],
    total: 107,
    next_cursor: 'YjE4YWM1MWJbImFpZGVyLXBvbHlnbG90LS1wZXJjZW50LWNvcnJlY3QiXQ',
  },
  dependsOn: (_, { view }) => contentOf(view, ['benchmarks']),
  list: ({ category }) => ({ table: 'benchmarks', conditions: where('category = ?', category), key: ['id'] }),
});
