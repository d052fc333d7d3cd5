import type { JSX } from 'preact';
import type { Day } from '../../runtime/day.ts';
import { formatterOf, type NumberKind } from './format.ts';
import { LAYOUT } from './parts/layout.ts';
import { StepChart } from './parts/step-chart.tsx';
import { summaryOf } from './parts/summary.ts';
import type { PlanWindow } from './parts/window-note.tsx';
import { dayScale } from './scales/day-scale.ts';
import { type Interval, isHeld, shownIntervals } from './scales/intervals.ts';
import { valueScale } from './scales/value-scale.ts';

export interface HistorySeries {
  /** Unique in the chart: `Input`, or a provider's name. */
  readonly name: string;
  readonly intervals: readonly Interval[];
}

export interface HistoryChartProps {
  /** Unique on the page; letters, digits and hyphens. */
  readonly id: string;
  readonly title: string;
  /** Stands on the axis: `USD per 1 M tokens`. */
  readonly unit: string;
  /** At most six can be told apart. */
  readonly series: readonly HistorySeries[];
  /** First and last day shown. */
  readonly from: Day;
  readonly to: Day;
  /** Without it, nothing is said about a window. */
  readonly window?: PlanWindow;
  /** Numbers as such, unless told. */
  readonly kind?: NumberKind;
  /** Whether the axis begins at zero: yes unless told, as prices need it; scores of little spread may not. */
  readonly fromZero?: boolean;
}

/** Values over days, each holding until it changes: prices, scores. The axis is always linear. */
export function HistoryChart(props: HistoryChartProps): JSX.Element {
  const { id, title, unit, window, kind = 'number', fromZero = true } = props;
  const days = dayScale(props.from, props.to);
  const series = props.series.map(({ name, intervals }) => ({
    name,
    intervals: shownIntervals(intervals, days.from, days.to),
  }));
  const format = formatterOf(kind);
  const formatInterval = ({ value }: Interval) => (value === null ? 'no data' : format(value));
  const all = series.flatMap(({ intervals }) => intervals).filter(isHeld);
  return (
    <StepChart
      id={id}
      title={title}
      unit={unit}
      summary={summaryOf(series, days, { formatInterval, formatValue: format, lowest: 'least', highest: 'most' })}
      series={series}
      days={days}
      values={valueScale(
        all.map(({ value }) => value),
        { height: LAYOUT.height, fromZero },
      )}
      window={window}
      kind={kind}
      formatInterval={formatInterval}
    />
  );
}
