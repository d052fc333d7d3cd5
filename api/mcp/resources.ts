import { z } from 'zod';
import { dataRoute, type JsonRoute } from '../data/responses/data-route.ts';
import { contentOf } from '../data/responses/dependencies.ts';
import { categoriesRoute } from '../data/routes/rankings.ts';
import { benchmarksRoute } from '../data/routes/scores.ts';
import { sourcesRoute } from '../data/routes/sources.ts';
import type { Exchange } from './exchange.ts';
import { BENCHMARK_COLUMNS, type Columns, rowsOf, SOURCE_COLUMNS, table } from './table.ts';
import { asOf, HOW_TO_USE, lines, TOKENS_MAX, tokensIn } from './tool-text.ts';

/**
 * A list without an HTTP route, under the access rules and counts of `/v1/models`. `sql` gives one row per id: `id`,
 * `model_count`.
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
      cached: async ({ view }) => JSON.stringify({ [name]: view.rows(sql) }),
    }),
  });
}

const organizationsRoute = countedRoute(
  'organizations',
  'Who makes models',
  `SELECT organization AS id, count(*) AS model_count FROM models
   WHERE organization IS NOT NULL GROUP BY organization ORDER BY organization`,
);

const providersRoute = countedRoute(
  'providers',
  'Who serves models',
  'SELECT provider AS id, count(*) AS model_count FROM model_providers GROUP BY provider ORDER BY provider',
);

/** A text for agents, such as the values of an argument. */
export interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Rejects with the route's refusals. */
  readonly read: (exchange: Exchange) => Promise<string>;
}

interface ListDefinition {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly route: JsonRoute;
  readonly columns: Columns;
  readonly limit?: string;
}

const COUNTED_COLUMNS: Columns = { id: 'id', models: 'model_count' };

export const RESOURCES: readonly Resource[] = [
  {
    uri: 'modelstats://how-to-use',
    name: 'how-to-use',
    title: 'How to use modelstats',
    description: 'Data, units, costs and limits in a few lines. Costs nothing.',
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
    description: 'The categories that are ranked now: values of category. One unit.',
    route: categoriesRoute,
    columns: COUNTED_COLUMNS,
  }),
  listResource({
    name: 'organizations',
    title: 'Organizations',
    description: 'Organizations that make models, with their numbers of models: values of organization. One unit.',
    route: organizationsRoute,
    columns: COUNTED_COLUMNS,
  }),
  listResource({
    name: 'providers',
    title: 'Providers',
    description: 'Providers that serve models, with their numbers of models: values of provider. One unit.',
    route: providersRoute,
    columns: COUNTED_COLUMNS,
  }),
  listResource({
    name: 'sources',
    title: 'Sources',
    description: 'The sources of the data, with the attribution to show when you cite them. Costs nothing.',
    route: sourcesRoute,
    columns: SOURCE_COLUMNS,
  }),
];

function listResource({ route, columns, limit, ...described }: ListDefinition): Resource {
  const { name } = described;
  return {
    ...described,
    uri: `modelstats://${name}`,
    read: async (exchange) => {
      const query = limit === undefined ? {} : { limit };
      const { body, dataAsOf } = await exchange.fetch(route, { query });
      const rows = rowsOf(body, name);
      const total = typeof body['total'] === 'number' ? body['total'] : rows.length;
      const shown = bounded(columns, rows);
      const left = total - shown.count;
      const rest = left === 0 ? undefined : `${left} more rows were left out.`;
      return lines(`${total} ${name}${asOf(dataAsOf)}.`, shown.text, rest);
    },
  };
}

/** The first rows, up to {@link TOKENS_MAX}. */
function bounded(
  columns: Columns,
  rows: Parameters<typeof table>[1],
): { readonly text: string; readonly count: number } {
  const all = table(columns, rows).split('\n');
  let tokens = 0;
  const fitting = all.filter((line) => {
    tokens += tokensIn(line);
    return tokens <= TOKENS_MAX - 100;
  });
  return { text: fitting.join('\n'), count: fitting.length - 1 };
}
