import { z } from 'zod';
import type { SortKey } from '../../../view/tables/list-orders.ts';
import { TEXTS_SEPARATOR } from '../../../view/tables/view-tables.ts';
import { all, contentOf, inForce } from '../../answers/dependencies.ts';
import { listRoute } from '../../answers/list-route.ts';
import { day, decimal, freeText, id, oneOf, plainInteger } from '../../answers/parameters.ts';
import { EXAMPLE_MODEL, ModelSchema } from '../../answers/records.ts';
import { type Condition, where } from '../../queries/conditions.ts';

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
    description: 'Part of the id, the name or an alias, in any case',
    example: 'gpt',
  }).optional(),
  alias: id('What an upstream calls the model, or its id, exactly', 'openai/gpt-5.4-mini').optional(),
  organization: id('Who made the model', 'openai').optional(),
  provider: id('A provider that serves the model', 'openrouter').optional(),
  min_context: plainInteger({ min: 0, description: 'Least context length in tokens', example: 100_000 }).optional(),
  released_after: day({ description: 'Released on this day or later', example: '2026-01-01' }).optional(),
  released_before: day({ description: 'Released on this day or earlier', example: '2026-06-29' }).optional(),
  max_input_price: decimal({
    min: 0,
    description: 'Sold somewhere at this input price per million or less',
    example: 1,
  }).optional(),
  max_output_price: decimal({
    min: 0,
    description: 'Sold somewhere at this output price per million or less; with max_input_price by the same provider',
    example: 5,
  }).optional(),
  sort: oneOf(SORTS, { description: 'Order; a minus turns it round; records without the value come last' })
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
  records: { name: 'models', schema: z.array(ModelSchema).describe('One page, in the order asked for') },
  example: { models: [EXAMPLE_MODEL], total: 3, next_cursor: 'ZjI2NGJkMzNbImdwdC01LjQtbWluaSJd' },
  dependsOn: (filters, { view }) => {
    const content = contentOf(view, boundsPrices(filters) ? ['models', 'pricing'] : ['models']);
    return asksForNames(filters) ? all(content, inForce(view.names)) : content;
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

/** What is between a model's texts is in none of them. */
function searchIn(q: string | undefined): readonly Condition[] {
  return where(`contains(texts, lower(?)) AND NOT contains(?, '${TEXTS_SEPARATOR}')`, q, q);
}

/** How `q` was once looked for. Cursors belong to it, so that those of then stay good. */
function searchInBefore(q: string | undefined): readonly Condition[] {
  return where('contains(lower(id), lower(?)) OR contains(lower(name), lower(?))', q, q);
}

/** Two looks for one name, each of which skips whatever lies elsewhere in its order. */
const NAMED = 'pos IN (SELECT pos FROM models WHERE id = ? UNION ALL SELECT pos FROM aliases WHERE id = ?)';

function asksForNames({ q, alias }: ModelFilters): boolean {
  return q !== undefined || alias !== undefined;
}

function boundsPrices({ max_input_price: input, max_output_price: output }: ModelFilters): boolean {
  return input !== undefined || output !== undefined;
}

/** A price that meets both bounds must be one and the same. */
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

/** The rest of a longer name doesn't count, so that a cursor never outgrows a URL. */
const SORTED_NAME = 'left(name, 200)';

function isSortColumn(column: string): column is keyof typeof SORT_COLUMNS {
  return Object.hasOwn(SORT_COLUMNS, column);
}
