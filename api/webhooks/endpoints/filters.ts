import { z } from 'zod';
import { ID_LENGTH_MAX } from '../../../schemas/datasets.ts';
import type { Filterable } from '../topics/topic.ts';

/** Ids per filter. */
const IDS_MAX = 1000;
const Ids = z
  .array(z.string().min(1, idProblem()).max(ID_LENGTH_MAX, idProblem()))
  .min(1, idsProblem())
  .max(IDS_MAX, idsProblem());
const RANK_MAX = 1_000_000;
const MaxRank = z.number().refine((rank) => Number.isInteger(rank) && rank >= 1 && rank <= RANK_MAX, {
  error: `must be a whole number from 1 to ${RANK_MAX}`,
});
const PERCENT_MAX = 1_000_000;
const Percent = z.number().refine((percent) => percent > 0 && percent <= PERCENT_MAX, {
  error: `must be above 0 and at most ${PERCENT_MAX}`,
});

/**
 * Selects events of an endpoint's topics (specification "Filters"). A filter applies to topics that have its field; all
 * that apply must pass.
 */
export const FiltersSchema = z.strictObject({
  /** Topics with `model_id`; `ranking.updated` if one of these models moved, came or went. */
  models: Ids.optional(),
  /** Topics with `benchmark_id`. */
  benchmarks: Ids.optional(),
  /** Topics with `category_id`. */
  categories: Ids.optional(),
  /** Topics with `provider`. */
  providers: Ids.optional(),
  /**
   * `pricing.updated` with `change` `price`: a price changed by at least this share of its old value. A price that
   * came, went, was zero or changed its currency passes.
   */
  min_price_change_percent: Percent.optional(),
  /** `ranking.updated`: a model moved into, out of or within positions 1 to this. */
  max_rank: MaxRank.optional(),
});
export type Filters = Readonly<z.infer<typeof FiltersSchema>>;

function idProblem(): string {
  return `must be an id of at most ${ID_LENGTH_MAX} characters`;
}

function idsProblem(): string {
  return `must name 1 to ${IDS_MAX} ids`;
}

export type Matcher = (event: Filterable) => boolean;

/** Applies filters (specification "Filters"). Sets are built once, for up to a million events. */
export function matcherFromFilters(filters: Filters): Matcher {
  const isModel = passesOf(filters.models);
  const isBenchmark = passesOf(filters.benchmarks);
  const isCategory = passesOf(filters.categories);
  const isProvider = passesOf(filters.providers);
  const { min_price_change_percent: minPercent = 0, max_rank: maxRank = Number.POSITIVE_INFINITY } = filters;
  return ({ data, models, largestChangePercent = Number.POSITIVE_INFINITY, bestRank = 1 }) =>
    isModel(data.model_id) &&
    isBenchmark(data.benchmark_id) &&
    isCategory(data.category_id) &&
    isProvider(data.provider) &&
    (models === undefined || filters.models === undefined || models.some(isModel)) &&
    largestChangePercent >= minPercent &&
    bestRank <= maxRank;
}

/** Ids pass without a list, events without the id. */
function passesOf(ids: readonly string[] | undefined): (id: string | undefined) => boolean {
  if (ids === undefined) return () => true;
  const allowed = new Set(ids);
  return (id) => id === undefined || allowed.has(id);
}
