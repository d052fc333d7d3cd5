/** The lines of a chart, made of the points of a history as the API answers with them. */
import type { HistorySeries, RankSeries } from './history-chart.tsx';
import { intervalsFromPoints } from './intervals.ts';
import { LOOKS } from './marks.tsx';

/** What a history says of one day. */
export interface HistoryPoint {
  readonly date: string;
  /** The rank, the score or the input price. */
  readonly value: number | null;
  readonly category_id?: string | null;
  /** Of a ranking's history alone. */
  readonly model_id?: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** As many lines as a chart tells apart. */
export const SERIES_MAX = LOOKS;

/** Down to which place the history of a ranking is asked for: those who stand first now stood lower before. */
export const FIRST_PLACES_DEPTH = 20;

/** What a model costs at the one provider that the points are of. */
export function priceSeries(points: readonly HistoryPoint[]): readonly HistorySeries[] {
  return [
    { name: 'Input', intervals: intervalsFromPoints(pricesOf(points, 'input_per_million')) },
    { name: 'Output', intervals: intervalsFromPoints(pricesOf(points, 'output_per_million')) },
  ];
}

/** A model's score in the one benchmark that the points are of. */
export function scoreSeries(benchmark: string, points: readonly HistoryPoint[]): readonly HistorySeries[] {
  return [{ name: benchmark, intervals: intervalsFromPoints(points) }];
}

/** The ranks of a model, in the categories in which it stands best now. */
export function rankSeriesOfModel(
  points: readonly HistoryPoint[],
  rankings: readonly { readonly category: string; readonly rank: number }[],
): readonly RankSeries[] {
  const best = rankings.toSorted((a, b) => a.rank - b.rank).slice(0, SERIES_MAX);
  const byCategory = Map.groupBy(points, ({ category_id: category }) => category ?? '');
  return best.map(({ category }) => ({
    name: category,
    intervals: intervalsFromPoints(byCategory.get(category) ?? []),
  }));
}

/**
 * The ranks in a category of those who stand first there now, over the days on which they did.
 *
 * @param models those who are ranked, the first one first, with names that no two of them share
 */
export function rankSeriesOfCategory(
  points: readonly HistoryPoint[],
  models: readonly { readonly id: string; readonly name: string }[],
): readonly RankSeries[] {
  const byModel = Map.groupBy(points, ({ model_id: model }) => model ?? '');
  return models
    .slice(0, SERIES_MAX)
    .map(({ id, name }) => ({ name, intervals: intervalsFromPoints(byModel.get(id) ?? []) }));
}

function pricesOf(points: readonly HistoryPoint[], name: 'input_per_million' | 'output_per_million') {
  return points.map(({ date, payload: { [name]: price } }) => ({
    date,
    value: typeof price === 'number' ? price : null,
  }));
}
