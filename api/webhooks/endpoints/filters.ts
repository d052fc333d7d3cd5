import { z } from 'zod';
import { ID_LENGTH_MAX } from '../../../schemas/datasets.ts';
import { METERS } from '../../../schemas/rates.ts';
import { DIRECTIONS, type Filterable, type RankMoves, type RateMove } from '../topics/topic.ts';

/** Ids per filter. */
const IDS_MAX = 1000;
const Ids = z
  .array(z.string().min(1, idProblem()).max(ID_LENGTH_MAX, idProblem()))
  .min(1, idsProblem())
  .max(IDS_MAX, idsProblem());
const Meters = z
  .array(z.enum(METERS, { error: `must be one of ${METERS.join(', ')}` }))
  .min(1, metersProblem())
  .max(METERS.length, metersProblem());
const RANK_MAX = 1_000_000;
const MaxRank = z.number().refine((rank) => Number.isInteger(rank) && rank >= 1 && rank <= RANK_MAX, {
  error: `must be a whole number from 1 to ${RANK_MAX}`,
});
export const PERCENT_MAX = 1_000_000;
export const CHANGE_PERCENT_MAX = 1000;

function percentTo(max: number) {
  return z.number().refine((percent) => percent > 0 && percent <= max, { error: `must be above 0 and at most ${max}` });
}

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
  /** `pricing.updated`: a rate of one of these meters changed, appeared or disappeared. */
  meters: Meters.optional(),
  /**
   * `pricing.updated`: a rate rose or fell; not one that appeared, disappeared or changed its currency.
   * `ranking.updated`: a model has a better rank than before, or a worse one.
   */
  direction: z.enum(DIRECTIONS, { error: `must be one of ${DIRECTIONS.join(', ')}` }).optional(),
  /**
   * `pricing.updated`: a rate rose or fell by at least this share of its old price, or from zero; not one that appeared,
   * disappeared or changed its currency.
   */
  min_change_percent: percentTo(CHANGE_PERCENT_MAX).optional(),
  /**
   * `pricing.updated` with `change` `price`: a price of input or output without condition changed by at least this share of its old value. A price that
   * came, went, was zero or changed its currency passes.
   */
  min_price_change_percent: percentTo(PERCENT_MAX).optional(),
  /** `ranking.updated`: a model moved into, out of or within positions 1 to this. */
  max_rank: MaxRank.optional(),
});
export type Filters = Readonly<z.infer<typeof FiltersSchema>>;

export interface StoredFilters {
  readonly filters: Filters;
  /** Names of those that a newer version stored and this one can't apply, be it for their value. */
  readonly unknownFilters: readonly string[];
}

/** @param text a JSON object */
export function parseStoredFilters(text: string): StoredFilters {
  const stored = Object.entries(z.record(z.string(), z.unknown()).parse(JSON.parse(text)));
  const isKnown = ([name, value]: (typeof stored)[number]) => FiltersSchema.safeParse({ [name]: value }).success;
  return {
    filters: FiltersSchema.parse(Object.fromEntries(stored.filter(isKnown))),
    unknownFilters: stored.filter((filter) => !isKnown(filter)).map(([name]) => name),
  };
}

function idProblem(): string {
  return `must be an id of at most ${ID_LENGTH_MAX} characters`;
}

function idsProblem(): string {
  return `must name 1 to ${IDS_MAX} ids`;
}

function metersProblem(): string {
  return `must name 1 to ${METERS.length} meters`;
}

export type Matcher = (event: Filterable) => boolean;

/** Applies filters (specification "Filters"). Sets are built once, for up to a million events. */
export function matcherFromFilters(filters: Filters): Matcher {
  const isModel = passesOf(filters.models);
  const isBenchmark = passesOf(filters.benchmarks);
  const isCategory = passesOf(filters.categories);
  const isProvider = passesOf(filters.providers);
  const { min_price_change_percent: minPercent = 0, max_rank: maxRank = Number.POSITIVE_INFINITY } = filters;
  const passesRates = ratesMatcherFrom(filters);
  const passesRanks = ranksMatcherFrom(filters, maxRank);
  return ({ data, models, largestChangePercent = Number.POSITIVE_INFINITY, rates, bestRank = 1, ranks }) =>
    isModel(data.model_id) &&
    isBenchmark(data.benchmark_id) &&
    isCategory(data.category_id) &&
    isProvider(data.provider) &&
    (models === undefined || filters.models === undefined || models.some(isModel)) &&
    largestChangePercent >= minPercent &&
    bestRank <= maxRank &&
    passesRates(rates) &&
    passesRanks(ranks);
}

/** One rate must pass all that is set. */
function ratesMatcherFrom({ meters, direction, min_change_percent: minPercent }: Filters) {
  if (meters === undefined && direction === undefined && minPercent === undefined) return () => true;
  const isMeter = passesOf(meters);
  const passes = (rate: RateMove) =>
    isMeter(rate.meter) &&
    (direction === undefined || rate.direction === direction) &&
    (minPercent === undefined || (rate.direction !== null && rate.percent >= minPercent));
  return (rates: readonly RateMove[] | undefined) => rates === undefined || rates.some(passes);
}

/** One model must pass `direction`, and then `models` and `max_rank` too. */
function ranksMatcherFrom({ direction, models }: Filters, maxRank: number) {
  if (direction === undefined) return () => true;
  const isModel = passesOf(models);
  return (ranks: RankMoves | undefined) => {
    if (ranks === undefined) return true;
    const { best_rank, watched } = ranks[direction];
    if (models === undefined) return best_rank !== null && best_rank <= maxRank;
    return watched.some((model) => isModel(model.id) && model.best_rank <= maxRank);
  };
}

/** Ids pass without a list, events without the id. */
function passesOf(ids: readonly string[] | undefined): (id: string | undefined) => boolean {
  if (ids === undefined) return () => true;
  const allowed = new Set(ids);
  return (id) => id === undefined || allowed.has(id);
}
