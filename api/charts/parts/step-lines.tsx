import type { ComponentChildren, JSX } from 'preact';
import type { DayScale } from '../scales/day-scale.ts';
import { gapsOf, type Held, type Interval, runsOf } from '../scales/intervals.ts';
import type { ValueScale } from '../scales/value-scale.ts';
import { LAYOUT, PLOT_BOTTOM, PLOT_TOP, percent, px } from './layout.ts';
import { hatch, lookOf } from './marks.tsx';

/** Width of the lines' own coordinates; they are stretched to the chart's. */
export const LINE_WIDTH = 1000;
/** A series whose intervals are in order and within the days shown. */
export interface StepSeries<T extends Interval = Interval> {
  readonly name: string;
  readonly intervals: readonly T[];
}

interface StepLinesProps {
  readonly series: readonly StepSeries[];
  readonly days: DayScale;
  readonly values: ValueScale;
}

/** Lines that hold a value until it changes, and stop where there is none. */
export function StepLines({ series, days, values }: StepLinesProps): JSX.Element {
  return (
    <StretchedLines>
      {series.map((one, i) => (
        <path class={`chart-line ${lookOf(i)}`} d={linePath(one.intervals, days, values)} />
      ))}
    </StretchedLines>
  );
}

/** Where paths of {@link linePath} are drawn: in coordinates of their own, stretched to the chart's width. */
export function StretchedLines({ children }: { readonly children?: ComponentChildren }): JSX.Element {
  return (
    <svg
      class="chart-lines"
      y={PLOT_TOP}
      width="100%"
      height={LAYOUT.height}
      viewBox={`0 0 ${LINE_WIDTH} ${LAYOUT.height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {children}
    </svg>
  );
}

/** A line as a path's data: along each interval, straight up or down where the next one begins, a new start after a gap. */
export function linePath(intervals: readonly Interval[], days: DayScale, values: ValueScale): string {
  const xOf = (part: number) => px((part / 100) * LINE_WIDTH);
  const stepOf = ({ from, to, value }: Held, i: number) =>
    `${i === 0 ? `M${xOf(days.startOf(from))} ` : 'V'}${px(values.yOf(value))}H${xOf(days.endOf(to))}`;
  return runsOf(intervals)
    .flatMap((run) => run.map(stepOf))
    .join('');
}

interface GapsProps {
  readonly id: string;
  readonly series: readonly StepSeries[];
  readonly days: DayScale;
}

/** The hatched days on which no series has a value, from the first value on: what lies before has not begun yet. */
export function Gaps({ id, series, days }: GapsProps): JSX.Element {
  return (
    <>
      {commonGaps(series, days).map(({ from, to }) => {
        const [start, end] = [days.startOf(from), days.endOf(to)];
        return (
          <rect
            class="chart-gap"
            x={percent(start)}
            y={PLOT_TOP}
            width={percent(end - start)}
            height={PLOT_BOTTOM - PLOT_TOP}
            fill={hatch(id)}
          />
        );
      })}
    </>
  );
}

/** The stretches of days on which no series has a value, but for those before the first one. */
export function commonGaps(series: readonly StepSeries[], days: DayScale) {
  const all = series.flatMap(({ intervals }) => intervals);
  const gaps = gapsOf(all, days.from, days.to);
  return gaps.filter(({ from, to }) => from > days.from || to === days.to);
}
