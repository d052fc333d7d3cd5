import type { View } from '../../view/view.ts';
import type { Condition } from './conditions.ts';
import { countAll, type ListPlan } from './list-page.ts';

/** Conditions on `price_meters`, each of which may be empty except that on the meter. */
export interface PriceSearch {
  readonly meter: readonly Condition[];
  readonly model: readonly Condition[];
  readonly provider: readonly Condition[];
  readonly bounds: readonly Condition[];
}

/** Sorting an entry takes as long as scanning several of them. */
const SORT_FACTOR = 4;

/** Entries of a provider that are scanned without weighing the order's own index: to count what that scans takes as long. */
const SCANNED_MAX = 1000;

const IN_ORDER = {
  // SQLite's name for the table's own key.
  key: 'sqlite_autoindex_price_meters_1',
  price: 'price_meters_price',
  updated_at: 'price_meters_updated_at',
} as const;

const BY_PROVIDER = 'price_meters_provider';

/**
 * Chooses the index of a page of prices: one in the requested order, which is scanned until the page is full, or that of the provider or
 * of the bounds, whose matches are sorted. All counts are exact, so no page reads more than some thousand entries of 20,000.
 */
export function planPrices(
  view: View,
  { meter, model, provider, bounds }: PriceSearch,
  { order, limit }: { readonly order: keyof typeof IN_ORDER; readonly limit: number },
): ListPlan {
  const count = (conditions: readonly Condition[], index?: string) =>
    countAll(view, { table: 'price_meters', conditions: [...meter, ...conditions], index });
  const planOf = (matches: number, index: string): ListPlan => ({ total: matches, index, isLong: false });
  if (model.length > 0) return planOf(count([...model, ...provider, ...bounds], IN_ORDER.key), IN_ORDER.key);
  const hasProvider = provider.length > 0;
  const total = count([...provider, ...bounds], hasProvider ? BY_PROVIDER : undefined);
  const ofProvider = hasProvider ? count(provider) : 0;
  if (hasProvider && (order === 'key' || ofProvider <= SCANNED_MAX)) return planOf(total, BY_PROVIDER);
  const ofBounds = order === 'price' || bounds.length > 0 ? count(bounds) : 0;
  const scanned = order === 'price' ? ofBounds : count([]);
  const plans = [
    { index: IN_ORDER[order] as string, entries: ((limit + 1) * scanned) / Math.max(total, 1) },
    ...(hasProvider ? [{ index: BY_PROVIDER, entries: ofProvider + SORT_FACTOR * total }] : []),
    ...(bounds.length > 0 ? [{ index: IN_ORDER.price, entries: ofBounds + SORT_FACTOR * total }] : []),
  ];
  return planOf(total, plans.reduce((best, plan) => (plan.entries < best.entries ? plan : best)).index);
}
