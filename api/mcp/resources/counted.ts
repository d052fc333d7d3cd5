import { z } from 'zod';
import { number, text } from '../../../storage/duckdb/row-shape.ts';
import { dataRoute } from '../../data/answers/data-route.ts';
import { contentOf } from '../../data/answers/dependencies.ts';

/**
 * An answer that has no route of its own over HTTP: values of the models, by id, with how many models have each. It is asked on the
 * terms of `/v1/models`, and counts there. `sql` gives one row per value: `id`, `model_count`.
 */
function countedRoute(name: string, summary: string, sql: string) {
  return dataRoute({
    path: '/v1/models',
    operationId: 'listModels',
    capability: 'current',
    feature: null,
    limitPerMinute: 60,
    summary,
    response: z.object({ [name]: z.array(z.object({ id: z.string(), model_count: z.int() })) }),
    example: { [name]: [] },
    errors: [],
    cacheControl: 'public, max-age=60',
    prepare: () => ({ counted: name }),
    answer: () => ({
      dependsOn: ({ view }) => contentOf(view, ['models']),
      cached: async ({ view }) => JSON.stringify({ [name]: await view.rows({ id: text, model_count: number }, sql) }),
    }),
  });
}

export const organizationsRoute = countedRoute(
  'organizations',
  'Who makes models',
  `SELECT organization AS id, count(*)::INTEGER AS model_count FROM models
   WHERE organization IS NOT NULL GROUP BY organization ORDER BY organization`,
);

export const providersRoute = countedRoute(
  'providers',
  'Who serves models',
  `SELECT provider AS id, count(*)::INTEGER AS model_count FROM (SELECT unnest(inference) AS provider FROM models)
   GROUP BY provider ORDER BY provider`,
);
