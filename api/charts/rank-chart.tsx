import type { JSX } from 'preact';
import type { Day } from '../../runtime/day.ts';
import { formatNumber } from './format.ts';
import { LAYOUT } from './parts/layout.ts';
import { StepChart } from './parts/step-chart.tsx';
import { type SummaryWords, summaryOf } from './parts/summary.ts';
import type { PlanWindow } from './parts/window-note.tsx';
import { dayScale } from './scales/day-scale.ts';
import { type Interval, isHeld, shownIntervals } from './scales/intervals.ts';
import { rankScale } from './scales/value-scale.ts';

/** A stretch of days over which a rank, and how many were ranked, held. */
export interface RankInterval extends Interval {
  /** How many were ranked. */
  readonly ranked?: number;
}

export interface RankSeries {
  /** Unique in the chart: a category, or a model's name. */
  readonly name: string;
  readonly intervals: readonly RankInterval[];
}

export interface RankChartProps {
  /** Unique on the page; letters, digits and hyphens. */
  readonly id: string;
  readonly title: string;
  /** At most six can be told apart. */
  readonly series: readonly RankSeries[];
  /** First and last day shown. */
  readonly from: Day;
  readonly to: Day;
  readonly window?: PlanWindow;
}

const WORDS: SummaryWords<RankInterval> = {
  formatInterval: formatRank,
  formatValue: formatNumber,
  lowest: 'best',
  highest: 'worst',
};

/** Ranks over days, the first place on top. */
export function RankChart(props: RankChartProps): JSX.Element {
  const days = dayScale(props.from, props.to);
  const series = props.series.map(({ name, intervals }) => ({
    name,
    intervals: shownIntervals(intervals, days.from, days.to),
  }));
  const ranks = series.flatMap(({ intervals }) => intervals.filter(isHeld).map(({ value }) => value));
  return (
    <StepChart
      id={props.id}
      title={props.title}
      unit="rank, 1 is best"
      summary={summaryOf(series, days, WORDS)}
      series={series}
      days={days}
      values={rankScale(ranks, LAYOUT.height)}
      window={props.window}
      formatInterval={formatRank}
    />
  );
}

/** `3 of 317`. */
function formatRank({ value, ranked }: RankInterval): string {
  if (value === null) return 'no data';
  return ranked !== undefined && Number.isFinite(ranked)
    ? `${formatNumber(value)} of ${formatNumber(ranked)}`
    : formatNumber(value);
}
