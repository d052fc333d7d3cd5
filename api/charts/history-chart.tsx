/** Charts of values over days, each value holding until it changes. */
import type { JSX } from 'preact';
import { formatNumber, formatterOf, type NumberKind } from './format.ts';
import { type Interval, intervalsFromPoints, type StepSeries } from './intervals.ts';
import { LOOKS } from './marks.tsx';
import { LAYOUT, rankScale, valueScale } from './scales.ts';
import { type DaysChartProps, StepChart, type SummaryWords } from './step-chart.tsx';

/** Its name is `Input`, or a provider's. */
export type HistorySeries = StepSeries;

export interface HistoryChartProps extends DaysChartProps<Interval> {
  /** Stands on the axis: `USD per 1 M tokens`. */
  readonly unit: string;
  /** Numbers as such, unless told. */
  readonly kind?: NumberKind;
  /** Whether the axis begins at zero: yes unless told, as prices need it; scores of little spread may not. */
  readonly fromZero?: boolean;
}

/** Prices or scores over days. The axis is always linear. */
export function HistoryChart({ fromZero = true, ...props }: HistoryChartProps): JSX.Element {
  const format = formatterOf(props.kind ?? 'number');
  const formatInterval = ({ value }: Interval) => (value === null ? 'no data' : format(value));
  return (
    <StepChart
      {...props}
      words={{ formatInterval, formatValue: format, lowest: 'least', highest: 'most' }}
      scaleOf={(values) => valueScale(values, { height: LAYOUT.height, fromZero })}
    />
  );
}

/** A stretch of days over which a rank, and how many were ranked, held. */
interface RankInterval extends Interval {
  /** How many were ranked. */
  readonly ranked?: number;
}

/** Its name is a category, or a model's. */
export type RankSeries = StepSeries<RankInterval>;

const RANK_WORDS: SummaryWords<RankInterval> = {
  formatInterval: formatRank,
  formatValue: formatNumber,
  lowest: 'best',
  highest: 'worst',
};

/** Ranks over days, the first place on top. */
export function RankChart(props: DaysChartProps<RankInterval>): JSX.Element {
  const scaleOf = (ranks: readonly number[]) => rankScale(ranks, LAYOUT.height);
  return <StepChart {...props} unit="rank, 1 is best" words={RANK_WORDS} scaleOf={scaleOf} />;
}

/** `3 of 317`. */
function formatRank({ value, ranked }: RankInterval): string {
  if (value === null) return 'no data';
  return ranked !== undefined && Number.isFinite(ranked)
    ? `${formatNumber(value)} of ${formatNumber(ranked)}`
    : formatNumber(value);
}

/** What a history says of one day, as the API answers with it: the lines of a chart are made of such points. */
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
