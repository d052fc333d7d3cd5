/** Charts of values over days, each value holding until it changes. */
import type { JSX } from 'preact';
import { formatNumber, formatterOf, type NumberKind } from './format.ts';
import type { Interval, StepSeries } from './intervals.ts';
import { LAYOUT } from './layout.ts';
import { rankScale, valueScale } from './scales.ts';
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
