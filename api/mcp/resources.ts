import { z } from 'zod';
import { number, text } from '../../storage/duckdb/row-shape.ts';
import { type DataRoute, dataRoute } from '../data/responses/data-route.ts';
import { contentOf } from '../data/responses/dependencies.ts';
import { categoriesRoute } from '../data/routes/rankings.ts';
import { benchmarksRoute } from '../data/routes/scores.ts';
import { sourcesRoute } from '../data/routes/sources.ts';
import type { Exchange } from './exchange.ts';
import { BENCHMARK_COLUMNS, type Columns, rowsOf, SOURCE_COLUMNS, table } from './table.ts';
import { asOf, HOW_TO_USE, lines, TOKENS_MAX, tokensIn } from './told.ts';

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
    dependsOnText: 'the models',
    errors: [],
    cacheControl: 'public, max-age=60',
    prepare: () => ({ counted: name }),
    handle: () => ({
      dependsOn: ({ view }) => contentOf(view, ['models']),
      cached: async ({ view }) => JSON.stringify({ [name]: await view.rows({ id: text, model_count: number }, sql) }),
    }),
  });
}

const organizationsRoute = countedRoute(
  'organizations',
  'Who makes models',
  `SELECT organization AS id, count(*)::INTEGER AS model_count FROM models
   WHERE organization IS NOT NULL GROUP BY organization ORDER BY organization`,
);

const providersRoute = countedRoute(
  'providers',
  'Who serves models',
  `SELECT provider AS id, count(*)::INTEGER AS model_count FROM (SELECT unnest(inference) AS provider FROM models)
   GROUP BY provider ORDER BY provider`,
);

/** A text that agents can read whole, such as the values that arguments take. */
export interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Rejects with what the route behind it refuses. */
  readonly read: (exchange: Exchange) => Promise<string>;
}

interface ListDefinition {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly route: DataRoute;
  readonly columns: Columns;
  readonly limit?: string;
}

const COUNTED_COLUMNS: Columns = { id: 'id', models: 'model_count' };

export const RESOURCES: readonly Resource[] = [
  {
    uri: 'modelstats://how-to-use',
    name: 'how-to-use',
    title: 'How to use modelstats',
    description: 'What there is, units, costs and limits, in a few lines. Costs nothing.',
    read: async () => HOW_TO_USE,
  },
  listResource({
    name: 'benchmarks',
    title: 'Benchmarks',
    description: 'The benchmarks with their categories: values of benchmark. One unit.',
    route: benchmarksRoute,
    columns: BENCHMARK_COLUMNS,
    limit: '200',
  }),
  listResource({
    name: 'categories',
    title: 'Ranked categories',
    description: 'The categories that are ranked now: values of category and category_id. One unit.',
    route: categoriesRoute,
    columns: COUNTED_COLUMNS,
  }),
  listResource({
    name: 'organizations',
    title: 'Organizations',
    description: 'Who makes models, with how many: values of organization. One unit.',
    route: organizationsRoute,
    columns: COUNTED_COLUMNS,
  }),
  listResource({
    name: 'providers',
    title: 'Providers',
    description: 'Who serves models, with how many: values of provider. One unit.',
    route: providersRoute,
    columns: COUNTED_COLUMNS,
  }),
  listResource({
    name: 'sources',
    title: 'Sources',
    description: 'Whom the data come from, with the line to show with them: who cites them should. Costs nothing.',
    route: sourcesRoute,
    columns: SOURCE_COLUMNS,
  }),
];

/** A list as a table. */
function listResource({ route, columns, limit, ...described }: ListDefinition): Resource {
  const { name } = described;
  return {
    ...described,
    uri: `modelstats://${name}`,
    read: async (exchange) => {
      const query = limit === undefined ? {} : { limit };
      const { body, dataAsOf } = await exchange.ask(route, { query });
      const rows = rowsOf(body, name);
      const total = typeof body['total'] === 'number' ? body['total'] : rows.length;
      const shown = bounded(columns, rows);
      const left = total - shown.count;
      const rest = left === 0 ? undefined : `${left} more are left out.`;
      return lines(`${total} ${name}${asOf(dataAsOf)}.`, shown.text, rest);
    },
  };
}

/** The first rows that an answer may hold. */
function bounded(
  columns: Columns,
  rows: Parameters<typeof table>[1],
): { readonly text: string; readonly count: number } {
  const all = table(columns, rows).split('\n');
  let tokens = 0;
  const kept = all.filter((line) => {
    tokens += tokensIn(line);
    return tokens <= TOKENS_MAX - 100;
  });
  return { text: kept.join('\n'), count: kept.length - 1 };
}
