import { z } from 'zod';
import { text } from '../../../storage/duckdb/row-shape.ts';
import { type HttpError, notFound } from '../../server/errors/http-error.ts';
import type { SortKey } from '../../view/tables/list-orders.ts';
import { TEXTS_SEPARATOR } from '../../view/tables/view-tables.ts';
import type { View } from '../../view/view.ts';
import { type Condition, where } from '../queries/conditions.ts';
import { dataRoute, jsonArray } from '../responses/data-route.ts';
import { all, contentOf, inForce } from '../responses/dependencies.ts';
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
  ...(['-id', '-name', '-release_date', '-context_length', '-updated_at'] as const),
] as const;

const SORT_COLUMNS = {
  id: { type: 'VARCHAR', isNullable: false },
  name: { type: 'VARCHAR', isNullable: false },
  release_date: { type: 'DATE', isNullable: true },
  context_length: { type: 'BIGINT', isNullable: true },
  updated_at: { type: 'TIMESTAMP', isNullable: false },
} as const;

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
  sort: oneOf(SORTS, { description: 'Order; a minus reverses it; records without the value come last' })
    .default('id')
    .meta({ default: 'id' }),
});
type ModelFilters = z.infer<typeof ModelFiltersSchema>;

export const modelsRoute = listRoute({
  path: '/v1/models',
  operationId: 'listModels',
  limitPerMinute: 60,
  summary: 'Models, with filters',
  filters: ModelFiltersSchema,
  limit: { max: 200, fallback: 50 },
  bodyName: 'Models',
  records: { name: 'models', schema: z.array(ModelSchema).describe('One page, in the requested order') },
  example: { models: [EXAMPLE_MODEL], total: 3, next_cursor: 'ZjI2NGJkMzNbImdwdC01LjQtbWluaSJd' },
  dependsOnText: 'the models; with a bound of prices the prices; with `q` or `alias` the names',
  dependsOn: (filters, { view }) => {
    const content = contentOf(view, boundsPrices(filters) ? ['models', 'pricing'] : ['models']);
    return filtersByName(filters) ? all(content, inForce(view.names)) : content;
  },
  list: (filters) => ({
    table: 'models',
    conditions: conditionsFrom(filters, searchIn),
    cursorScope: conditionsFrom(filters, searchInBefore),
    sort: sortFrom(filters.sort),
    isCostly: filters.q !== undefined,
    key: ['id'],
  }),
});

function conditionsFrom(query: ModelFilters, search: typeof searchIn): readonly Condition[] {
  return [
    ...search(query.q),
    ...where(NAMED, query.alias, query.alias),
    ...where('organization = ?', query.organization),
    ...where('list_contains(inference, ?)', query.provider),
    ...where('context_length >= ?::BIGINT', query.min_context),
    ...where('release_date >= ?::VARCHAR::DATE', query.released_after),
    ...where('release_date <= ?::VARCHAR::DATE', query.released_before),
    ...priceConditions(query),
  ];
}

/** The separator between a model's texts occurs in none of them. */
function searchIn(q: string | undefined): readonly Condition[] {
  return where(`contains(texts, lower(?)) AND NOT contains(?, '${TEXTS_SEPARATOR}')`, q, q);
}

/** The earlier search: cursors are bound to it, so that old ones stay valid. */
function searchInBefore(q: string | undefined): readonly Condition[] {
  return where('contains(lower(id), lower(?)) OR contains(lower(name), lower(?))', q, q);
}

/** Each part skips blocks by its table's order. */
const NAMED = 'pos IN (SELECT pos FROM models WHERE id = ? UNION ALL SELECT pos FROM aliases WHERE id = ?)';

function filtersByName({ q, alias }: ModelFilters): boolean {
  return q !== undefined || alias !== undefined;
}

function boundsPrices({ max_input_price: input, max_output_price: output }: ModelFilters): boolean {
  return input !== undefined || output !== undefined;
}

/** One price must meet both bounds. */
function priceConditions({ max_input_price: input, max_output_price: output }: ModelFilters): readonly Condition[] {
  const bounds = [...where('p.input_per_million <= ?', input), ...where('p.output_per_million <= ?', output)];
  if (bounds.length === 0) return [];
  const both = bounds.map((bound) => bound.sql).join(' AND ');
  const sql = `EXISTS (SELECT 1 FROM pricing p WHERE p.model_id = models.id AND ${both})`;
  return [{ sql, values: bounds.flatMap(({ values }) => values) }];
}

function sortFrom(sort: ModelFilters['sort']): SortKey | undefined {
  const isDescending = sort.startsWith('-');
  const column = sort.replace(/^-/, '');
  if (sort === 'id' || !isSortColumn(column)) return undefined;
  return { column: column === 'name' ? SORTED_NAME : column, isDescending, ...SORT_COLUMNS[column] };
}

/** Truncated, so that a cursor always fits into a URL. */
const SORTED_NAME = 'left(name, 200)';

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
      const [record] = await linesOf(view, 'SELECT line FROM models WHERE id = $1', model);
      if (record === undefined) throw noSuchModel();
    },
    cached: async ({ view }) => {
      const [[record], scores, rankings, pricing] = await Promise.all([
        view.rows({ line: text, aliases: text }, 'SELECT line, aliases FROM models WHERE id = $1', [model]),
        linesOf(view, 'SELECT line FROM scores WHERE model_id = $1 ORDER BY benchmark_id', model),
        linesOf(view, 'SELECT line FROM rankings WHERE model_id = $1 ORDER BY category', model),
        linesOf(view, 'SELECT line FROM pricing WHERE model_id = $1 ORDER BY provider', model),
      ]);
      if (record === undefined) throw noSuchModel();
      const open = record.line.slice(0, -1);
      const lists = `"scores":${jsonArray(scores)},"rankings":${jsonArray(rankings)},"pricing":${jsonArray(pricing)}`;
      return `${open},${lists},"aliases":${record.aliases}}`;
    },
  }),
});

function noSuchModel(): HttpError {
  return notFound('id', 'There is no such model');
}

async function linesOf(view: View, sql: string, model: string): Promise<readonly string[]> {
  const rows = await view.rows({ line: text }, sql, [model]);
  return rows.map(({ line }) => line);
}
