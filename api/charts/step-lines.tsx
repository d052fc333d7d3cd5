import type { ComponentChildren, JSX } from 'preact';
import type { Day } from '../../runtime/day.ts';
import { formatCount, formatDay } from './format.ts';
import { gapsOf, type Held, type Interval, runsOf, type StepSeries } from './intervals.ts';
import { hatch, styleClass } from './marks.tsx';
import { type DayScale, LAYOUT, PLOT_BOTTOM, PLOT_TOP, percent, px, type ValueScale } from './scales.ts';

/** In the lines' own coordinates, stretched to the chart. */
const LINE_WIDTH = 1000;

interface StepLinesProps {
  readonly series: readonly StepSeries[];
  readonly days: DayScale;
  readonly values: ValueScale;
}

export function StepLines({ series, days, values }: StepLinesProps): JSX.Element {
  return (
    <StretchedLines>
      {series.map((one, i) => (
        <path class={`chart-line ${styleClass(i)}`} d={linePath(one.intervals, days, values)} />
      ))}
    </StretchedLines>
  );
}

/** Coordinates of {@link linePath}. */
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

/** Horizontal along each interval, vertical at its end; a new start after a gap. */
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

/** Hatched days of {@link commonGaps}. */
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

/** Days without any value, except before the first. */
export function commonGaps(series: readonly StepSeries[], days: DayScale) {
  const all = series.flatMap(({ intervals }) => intervals);
  const gaps = gapsOf(all, days.from, days.to);
  return gaps.filter(({ from, to }) => from > days.from || to === days.to);
}

export interface PlanWindow {
  /** The first day that the plan shows. */
  readonly from: Day;
  readonly months: number;
}

/** Shades and labels the days before the window, or labels its start. */
export function WindowNote({
  window,
  scale,
}: {
  readonly window: PlanWindow;
  readonly scale: DayScale;
}): JSX.Element | null {
  const x = scale.startOf(window.from);
  if (window.from < scale.from) return null;
  const inside = x >= 45;
  const before = window.from > scale.to || inside ? "before your plan's window" : `← before your plan's window`;
  const text =
    x === 0 ? `your plan's window of ${formatCount(window.months, 'month')} begins ${formatDay(window.from)}` : before;
  return (
    <g>
      {x > 0 && <rect class="chart-before" x="0" y={LAYOUT.top} width={percent(x)} height={PLOT_BOTTOM - LAYOUT.top} />}
      <line class="chart-border" x1={percent(x)} x2={percent(x)} y1={LAYOUT.top} y2={PLOT_BOTTOM} />
      <text
        class="chart-note"
        x={percent(x)}
        dx={inside ? -6 : 6}
        y={LAYOUT.top + 12}
        text-anchor={inside ? 'end' : 'start'}
      >
        {text}
      </text>
    </g>
  );
}
