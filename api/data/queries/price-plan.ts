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

const IN_ORDER = {
  // SQLite's name for the table's own key.
  key: 'sqlite_autoindex_price_meters_1',
  price: 'price_meters_price',
  updated_at: 'price_meters_updated_at',
} as const;

/**
 * Chooses the index of a page of prices: one in the requested order, which is scanned until the page is full, or that of the provider or
 * of the bounds, whose entries are sorted. All counts are exact, so no page reads more than some thousand entries of 20,000.
 */
export function planPrices(
  view: View,
  { meter, model, provider, bounds }: PriceSearch,
  { order, limit }: { readonly order: keyof typeof IN_ORDER; readonly limit: number },
): ListPlan {
  if (model.length > 0) return { total: undefined, index: IN_ORDER.key, isLong: false };
  const count = (...conditions: readonly Condition[]) =>
    countAll(view, { table: 'price_meters', conditions: [...meter, ...conditions] });
  const total = count(...provider, ...bounds);
  const toFill = (scanned: number) => ((limit + 1) * scanned) / Math.max(total, 1);
  const toSort = (scanned: number) => SORT_FACTOR * scanned;
  const plans: { readonly index: string; readonly entries: number }[] = [
    { index: IN_ORDER[order], entries: toFill(order === 'price' ? count(...bounds) : count()) },
  ];
  if (provider.length > 0) {
    const entries = count(...provider);
    plans.push({ index: 'price_meters_provider', entries: order === 'key' ? toFill(entries) : toSort(entries) });
  }
  if (bounds.length > 0) plans.push({ index: 'price_meters_price', entries: toSort(count(...bounds)) });
  const { index } = plans.reduce((best, plan) => (plan.entries < best.entries ? plan : best));
  return { total, index, isLong: false };
}
