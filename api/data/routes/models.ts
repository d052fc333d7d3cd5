import { z } from 'zod';
import { type HttpError, notFound, queryProblem, type RequestProblem } from '../../server/errors/http-error.ts';
import type { CheckedQuery } from '../../server/parse-request.ts';
import type { QueryValue } from '../../view/query-threads.ts';
import type { CheckedText, View } from '../../view/view.ts';
import { type Condition, scopesOf, where, whereDay } from '../queries/conditions.ts';
import { OWN_MODEL_KEY, type SortKey } from '../queries/list-page.ts';
import { modelsNamedLike, relevanceOf, type SearchedModels } from '../queries/model-search.ts';
import { dataRoute, jsonArray } from '../responses/data-route.ts';
import { all, contentOf, inForce, lastChangeOf } from '../responses/dependencies.ts';
import { listRoute } from '../responses/list-route.ts';
import { day, decimal, freeText, id, idOf, oneOf, plainInteger } from '../responses/parameters.ts';
import {
  EXAMPLE_MODEL,
  EXAMPLE_PRICE,
  ModelSchema,
  PriceSchema,
  RankingSchema,
  ScoreSchema,
} from '../responses/records.ts';

const SORTS = [
  ...(['id', 'name', 'release_date', 'context_length', 'updated_at'] as const),
  ...(['-id', '-name', '-release_date', '-context_length', '-updated_at', 'relevance'] as const),
] as const;

const SORT_COLUMNS = {
  id: sortColumn('id', 'text', { isNullable: false, scope: 'VARCHAR' }),
  name: {
    // Truncated, so that a cursor always fits into a URL.
    sql: 'substr(name, 1, 200)',
    type: 'text',
    isNullable: false,
    scope: { column: 'left(name, 200)', type: 'VARCHAR' },
  },
  release_date: sortColumn('release_date', 'day', { isNullable: true, scope: 'DATE' }),
  context_length: sortColumn('context_length', 'integer', { isNullable: true, scope: 'BIGINT' }),
  updated_at: sortColumn('updated_at', 'micros', { isNullable: false, scope: 'TIMESTAMP' }),
  relevance: sortColumn('relevance', 'integer', { isNullable: false, scope: 'BIGINT' }),
} as const satisfies Readonly<Record<string, SortColumn>>;

type SortColumn = Omit<SortKey, 'isDescending'>;

function sortColumn(
  sql: string,
  type: SortColumn['type'],
  { isNullable, scope }: { readonly isNullable: boolean; readonly scope: string },
): SortColumn {
  return { sql, type, isNullable, scope: { column: sql, type: scope } };
}

const ModelFiltersSchema = z.object({
  q: freeText({
    max: 200,
    description: 'Part of the id, the name or an alias; case-insensitive',
    example: 'gpt',
  }).optional(),
  alias: id('Exact name of the model at an upstream, or its id', 'openai/gpt-5.4-mini').optional(),
  organization: id('Maker of the model', 'openai').optional(),
  provider: idOf('provider', 'A provider that serves the model', 'openrouter').optional(),
  min_context: plainInteger({ min: 0, description: 'Minimum context length in tokens', example: 100_000 }).optional(),
  released_after: day({ description: 'Released on this day or later', example: '2026-01-01' }).optional(),
  released_before: day({ description: 'Released on this day or earlier', example: '2026-06-29' }).optional(),
  max_input_price: decimal({
    min: 0,
    description: 'Some provider sells at this input price per million tokens or less',
    example: 1,
  }).optional(),
  max_output_price: decimal({
    min: 0,
    description:
      'Some provider sells at this output price per million tokens or less; with max_input_price, the same provider',
    example: 5,
  }).optional(),
  include: oneOf(['removed'], {
    description: 'Also models that are no longer in the data, with `removed_at`; they have no price and no alias',
    example: 'removed',
  }).optional(),
  sort: oneOf(SORTS, {
    description: 'Order; a minus reverses it; records without the value come last. `relevance` needs `q`',
  })
    .default('id')
    .meta({ default: 'id' }),
});
type ModelFilters = z.infer<typeof ModelFiltersSchema>;

const ListedModelSchema = z
  .looseObject({
    ...ModelSchema.shape,
    removed_at: z.iso
      .date()
      .optional()
      .describe('First captured day on which the model was no longer in the data; absent while it is'),
  })
  .meta({ id: 'ListedModel' });

export const modelsRoute = listRoute({
  path: '/v1/models',
  operationId: 'listModels',
  limitPerMinute: 60,
  summary: 'Models, with filters',
  filters: ModelFiltersSchema,
  limit: { max: 200, fallback: 50 },
  bodyName: 'Models',
  records: { name: 'models', schema: z.array(ListedModelSchema).describe('One page, in the requested order') },
  example: { models: [EXAMPLE_MODEL], total: 3, next_cursor: 'ZjI2NGJkMzNbImdwdC01LjQtbWluaSJd' },
  dependsOnText:
    'the models, with `include` also earlier ones; with a bound of prices the prices; with `q` or `alias` the names; by relevance the ranks',
  check: findSortProblems,
  dependsOn: (filters, { view }) => {
    const content = contentOf(view, [
      'models',
      ...(boundsPrices(filters) ? (['pricing'] as const) : []),
      ...(filters.sort === 'relevance' ? (['rankings'] as const) : []),
    ]);
    const others = [
      ...(filtersByName(filters) ? [inForce(view.names)] : []),
      ...(filters.include === 'removed' ? [lastChangeOf(view, 'models')] : []),
    ];
    return others.length === 0 ? content : all(content, ...others);
  },
  list: (filters, { view }) => ({
    table: tableOf(filters.include),
    conditions: conditionsFrom(filters, view),
    joined: filters.sort === 'relevance' ? relevanceIn(view, filters) : undefined,
    sort: sortFrom(filters.sort),
    key: [OWN_MODEL_KEY],
  }),
});

function findSortProblems({ values: { q, sort }, wrong }: CheckedQuery<ModelFilters>): readonly RequestProblem[] {
  if (sort !== 'relevance' || q !== undefined || wrong.has('q')) return [];
  return [
    queryProblem('sort', sort, { msg: 'relevance orders what q finds: give q, or another sort', type: 'value_error' }),
  ];
}

function relevanceIn(view: View, { q = '', include }: ModelFilters): Pick<Condition, 'sql' | 'values'> {
  const pairs = JSON.stringify(relevanceOf(view, q, tableOf(include)));
  return {
    sql: `JOIN (SELECT value ->> 0 AS found, value ->> 1 AS relevance FROM json_each(?)) ON found = model`,
    values: [pairs],
  };
}

/**
 * A condition on the model's number by a list that may have most models. The plus keeps SQLite from looking models up by the list: by
 * two lists, it would look up each pair.
 */
function among(list: string): string {
  return `+model IN (${list})`;
}

function tableOf(include: ModelFilters['include']): SearchedModels {
  return include === undefined ? 'models' : 'all_models';
}

function conditionsFrom(query: ModelFilters, view: View): readonly Condition[] {
  const isWithRemoved = query.include === 'removed';
  return [
    ...searchIn(view, query),
    ...named(query.alias, tableOf(query.include)),
    ...where('organization = ?', query.organization),
    ...(isWithRemoved ? servedOrRemoved(query.provider) : servedBy(query.provider)),
    ...where('context_length >= ?', query.min_context, 'context_length >= ?::BIGINT'),
    ...whereDay('release_date >=', query.released_after),
    ...whereDay('release_date <=', query.released_before),
    ...priceConditions(query),
  ];
}

function servedBy(provider: string | undefined): readonly Condition[] {
  return where(among('SELECT model FROM model_providers WHERE provider = ?'), provider, 'list_contains(inference, ?)');
}

/** Of models that are gone, the providers are in the record. */
function servedOrRemoved(provider: string | undefined): readonly Condition[] {
  return servedBy(provider).map(({ sql, values, ...bound }) => ({
    ...bound,
    sql: `${sql} OR (is_removed AND EXISTS (SELECT 1 FROM json_each(line, '$.inference') e WHERE e.value = ?))`,
    values: [...values, ...values],
  }));
}

function searchIn(view: View, { q, include }: ModelFilters): readonly Condition[] {
  if (q === undefined) return [];
  const scope = { sql: 'contains(lower(id), lower(?)) OR contains(lower(name), lower(?))', values: [q, q] };
  const models = modelsNamedLike(view, q, tableOf(include));
  return [{ sql: among('SELECT value FROM json_each(?)'), values: [JSON.stringify(models)], scope }];
}

function named(alias: string | undefined, table: SearchedModels): readonly Condition[] {
  if (alias === undefined) return [];
  const union = (column: string, from = 'models') =>
    `${column} IN (SELECT ${column} FROM ${from} WHERE id = ? UNION ALL SELECT ${column} FROM aliases WHERE id = ?)`;
  const values = [alias, alias];
  return [{ sql: union('model', table), values, scope: { sql: union('pos'), values } }];
}

function filtersByName({ q, alias }: ModelFilters): boolean {
  return q !== undefined || alias !== undefined;
}

function boundsPrices({ max_input_price: input, max_output_price: output }: ModelFilters): boolean {
  return input !== undefined || output !== undefined;
}

/** One price must meet both bounds. */
function priceConditions({
  include,
  max_input_price: input,
  max_output_price: output,
}: ModelFilters): readonly Condition[] {
  const bounds = [
    ...where('p.input <= ?', input, 'p.input_per_million <= ?'),
    ...where('p.output <= ?', output, 'p.output_per_million <= ?'),
  ];
  if (bounds.length === 0) return [];
  const exists = (ofModel: string, meets: readonly { readonly sql: string }[]) =>
    `EXISTS (SELECT 1 FROM pricing p WHERE ${[ofModel, ...meets.map(({ sql }) => sql)].join(' AND ')})`;
  const values: readonly QueryValue[] = bounds.flatMap((bound) => bound.values);
  const scope = { sql: exists('p.model_id = models.id', scopesOf(bounds)), values };
  return [{ sql: exists(`p.model = ${tableOf(include)}.model`, bounds), values, scope }];
}

function sortFrom(sort: ModelFilters['sort']): SortKey | undefined {
  const isDescending = sort.startsWith('-');
  const column = sort.replace(/^-/, '');
  return sort !== 'id' && isSortColumn(column) ? { ...SORT_COLUMNS[column], isDescending } : undefined;
}

function isSortColumn(column: string): column is keyof typeof SORT_COLUMNS {
  return Object.hasOwn(SORT_COLUMNS, column);
}

const EXAMPLE_ALIAS = { upstream: 'models-dev', id: 'openai/gpt-5.4-mini' };

const AliasSchema = z
  .looseObject({ upstream: z.string().describe('The upstream'), id: z.string().describe('Name of the model there') })
  .meta({ id: 'Alias' });

const ModelDetailSchema = z
  .looseObject({
    ...ModelSchema.shape,
    scores: z.array(ScoreSchema).describe('By benchmark'),
    rankings: z.array(RankingSchema).describe('By category'),
    pricing: z.array(PriceSchema).describe('By provider'),
    aliases: z.array(AliasSchema).describe('Names at upstreams, by upstream and name'),
  })
  .meta({ id: 'ModelDetail' });

export const modelRoute = dataRoute({
  path: '/v1/models/:id',
  operationId: 'getModel',
  capability: 'current',
  feature: null,
  limitPerMinute: 120,
  summary: 'One model with its scores, rankings, prices and aliases',
  params: z.object({ id: idOf('model', 'The model; encode a slash as %2F', 'gpt-5.4-mini') }),
  response: ModelDetailSchema,
  example: { ...EXAMPLE_MODEL, scores: [], rankings: [], pricing: [EXAMPLE_PRICE], aliases: [EXAMPLE_ALIAS] },
  dependsOnText: 'the models, scores, rankings, prices and names',
  errors: ['not_found'],
  cacheControl: 'public, max-age=60',
  prepare: ({ params }) => params,
  handle: ({ id: model }) => ({
    dependsOn: ({ view }) => all(contentOf(view, ['models', 'scores', 'rankings', 'pricing']), inForce(view.names)),
    assertExists: async ({ view }) => {
      if (view.rows('SELECT 1 FROM models WHERE id = ?', [model]).length === 0) throw noSuchModel();
    },
    cached: async ({ view }) => {
      const [record] = view.checkedRows<CheckedText & { readonly model: number }>(
        'SELECT line AS text, "check", model FROM models WHERE id = ?',
        [model],
      );
      if (record === undefined) throw noSuchModel();
      const linesOf = (table: string, order: string) =>
        jsonArray(
          view.texts(`SELECT line AS text, "check" FROM ${table} WHERE model = ? ORDER BY ${order}`, [record.model]),
        );
      const [aliases = '[]'] = view.texts('SELECT aliases AS text, "check" FROM model_names WHERE model = ?', [
        record.model,
      ]);
      const lists = `"scores":${linesOf('scores', 'benchmark')},"rankings":${linesOf('rankings', 'category')},"pricing":${linesOf('pricing', 'provider')}`;
      return `${record.text.slice(0, -1)},${lists},"aliases":${aliases}}`;
    },
  }),
});

function noSuchModel(): HttpError {
  return notFound('id', 'There is no such model');
}
