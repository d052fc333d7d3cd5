import { z } from 'zod';
import { METERS } from '../../../schemas/rates.ts';
import { ANY_METER } from '../../view/schema.ts';
import { where, whereId } from '../queries/conditions.ts';
import { MODEL_KEY, type SortKey } from '../queries/list-page.ts';
import { type PriceSearch, planPrices } from '../queries/price-plan.ts';
import { contentOf } from '../responses/dependencies.ts';
import { listRoute } from '../responses/list-route.ts';
import { decimal, idOf, oneOf } from '../responses/parameters.ts';
import { EXAMPLE_PRICE, PriceSchema } from '../responses/records.ts';

const PriceFiltersSchema = z.object({
  model: idOf('model', 'The model', 'gpt-5.4-mini').optional(),
  provider: idOf('provider', 'Provider that sells the model', 'openrouter').optional(),
  meter: oneOf(METERS, {
    description:
      'Only prices with a rate of this meter without condition; bounds and order are by that rate, default input',
    example: 'input',
  }).optional(),
  min_price: decimal({
    min: 0,
    description: 'Minimum price per million tokens; of the meters request and search per request',
    example: 0.1,
  }).optional(),
  max_price: decimal({
    min: 0,
    description: 'Maximum price per million tokens; of the meters request and search per request',
    example: 1,
  }).optional(),
  sort: oneOf(['model_id', 'price', '-price', '-updated_at'], {
    description: 'Order; a minus reverses it; rates in another unit come last',
  })
    .default('model_id')
    .meta({ default: 'model_id' }),
});
type PriceFilters = z.infer<typeof PriceFiltersSchema>;

export const pricingRoute = listRoute({
  path: '/v1/pricing',
  operationId: 'listPricing',
  capability: 'pricing',
  limitPerMinute: 120,
  summary: 'Prices, with filters',
  filters: PriceFiltersSchema,
  limit: { max: 500, fallback: 100 },
  bodyName: 'Pricing',
  records: { name: 'pricing', schema: z.array(PriceSchema).describe('One page, in the requested order') },
  example: { pricing: [EXAMPLE_PRICE], total: 1, next_cursor: null },
  dependsOnText: 'the prices',
  dependsOn: (_, { view }) => contentOf(view, ['pricing']),
  list: (filters) => {
    const search = searchFrom(filters);
    const order = ORDERS[filters.sort];
    return {
      table: 'price_meters',
      conditions: Object.values(search).flat(),
      sort: SORTS[filters.sort],
      plan: (view, { limit }) => planPrices(view, search, { order, limit }),
      key: [MODEL_KEY, { kind: 'provider', field: 'provider' }],
    };
  },
});

const PRICE = { sql: 'price', type: 'double', isNullable: true, scope: { column: 'price', type: 'DOUBLE' } } as const;

const SORTS: Readonly<Record<PriceFilters['sort'], SortKey | undefined>> = {
  model_id: undefined,
  price: { ...PRICE, isDescending: false },
  '-price': { ...PRICE, isDescending: true },
  '-updated_at': {
    sql: 'updated_at',
    type: 'micros',
    isDescending: true,
    isNullable: false,
    scope: { column: 'updated_at', type: 'TIMESTAMP' },
  },
};

const ORDERS = { model_id: 'key', price: 'price', '-price': 'price', '-updated_at': 'updated_at' } as const;

/** Conditions in the order in which cursors have always been bound to them. */
function searchFrom(query: PriceFilters): PriceSearch {
  const { model, provider, min_price: min, max_price: max } = query;
  const isByRate = min !== undefined || max !== undefined || ORDERS[query.sort] === 'price';
  return {
    meter: where('meter = ?', query.meter ?? (isByRate ? 'input' : ANY_METER)),
    model: whereId('model', 'model', { id: model, scope: 'model_id = ?' }),
    provider: whereId('provider', 'provider', { id: provider, scope: 'provider = ?' }),
    bounds: [...where('price >= ?', min), ...where('price <= ?', max)],
  };
}
