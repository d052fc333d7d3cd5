import type { JSX } from 'preact';
import { formatNumber, formatterOf, type NumberKind } from './format.ts';
import { type Interval, intervalsFromPoints, type StepSeries } from './intervals.ts';
import { STYLES } from './marks.tsx';
import { LAYOUT, rankScale, valueScale } from './scales.ts';
import { type DaysChartProps, StepChart, type SummaryWording } from './step-chart.tsx';

/** Named `Input`, or after a provider. */
export type HistorySeries = StepSeries;

export interface HistoryChartProps extends DaysChartProps<Interval> {
  /** Label of the axis: `USD per 1 M tokens`. */
  readonly unit: string;
  /** Default: plain numbers. */
  readonly kind?: NumberKind;
  /** Default: true, as prices need it; scores with little spread may not. */
  readonly fromZero?: boolean;
}

/** On a linear axis. */
export function HistoryChart({ fromZero = true, ...props }: HistoryChartProps): JSX.Element {
  const format = formatterOf(props.kind ?? 'number');
  const formatInterval = ({ value }: Interval) => (value === null ? 'no data' : format(value));
  return (
    <StepChart
      {...props}
      wording={{ formatInterval, formatValue: format, lowest: 'lowest', highest: 'highest' }}
      scaleOf={(values) => valueScale(values, { height: LAYOUT.height, fromZero })}
    />
  );
}

interface RankInterval extends Interval {
  /** How many were ranked. */
  readonly ranked?: number;
}

/** Named after a category, or a model. */
export type RankSeries = StepSeries<RankInterval>;

const RANK_WORDING: SummaryWording<RankInterval> = {
  formatInterval: formatRank,
  formatValue: formatNumber,
  lowest: 'best',
  highest: 'worst',
};

/** Ranks over days, the first on top. */
export function RankChart(props: DaysChartProps<RankInterval>): JSX.Element {
  const scaleOf = (ranks: readonly number[]) => rankScale(ranks, LAYOUT.height);
  return <StepChart {...props} unit="rank, 1 is best" wording={RANK_WORDING} scaleOf={scaleOf} />;
}

/** `3 of 317`. */
function formatRank({ value, ranked }: RankInterval): string {
  if (value === null) return 'no data';
  return ranked !== undefined && Number.isFinite(ranked)
    ? `${formatNumber(value)} of ${formatNumber(ranked)}`
    : formatNumber(value);
}

/** A point of a history, as the API returns it. */
export interface HistoryPoint {
  readonly date: string;
  /** The rank, the score or the input price. */
  readonly value: number | null;
  readonly category_id?: string | null;
  /** Only in the history of a ranking. */
  readonly model_id?: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** The lines that a chart can distinguish. */
export const SERIES_MAX = STYLES;

/** Today's first models ranked lower before. */
export const FIRST_PLACES_DEPTH = 20;

/** At the one provider of the points. */
export function priceSeries(points: readonly HistoryPoint[]): readonly HistorySeries[] {
  return [
    { name: 'Input', intervals: intervalsFromPoints(pricesOf(points, 'input_per_million')) },
    { name: 'Output', intervals: intervalsFromPoints(pricesOf(points, 'output_per_million')) },
  ];
}

/** In the one benchmark of the points. */
export function scoreSeries(benchmark: string, points: readonly HistoryPoint[]): readonly HistorySeries[] {
  return [{ name: benchmark, intervals: intervalsFromPoints(points) }];
}

/** In the model's best categories now. */
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
 * Of today's leaders.
 *
 * @param models by rank, with distinct names
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
