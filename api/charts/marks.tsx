import type { ComponentChildren, JSX } from 'preact';
import { formatDay } from './format.ts';
import { type Change, changesOf, type Interval, type StepSeries } from './intervals.ts';
import { type DayScale, LAYOUT, PLOT_BOTTOM, PLOT_TOP, percent, px, type ValueScale } from './scales.ts';

/** Distinguish series besides colour and dash; drawn around 0, 0. */
const SHAPES = [
  'M-3.5 0A3.5 3.5 0 1 0 3.5 0A3.5 3.5 0 1 0 -3.5 0Z',
  'M-3 -3H3V3H-3Z',
  'M0 -4.6L4.6 0L0 4.6L-4.6 0Z',
  'M0 -4.4L4.2 3.2H-4.2Z',
  'M0 4.4L4.2 -3.2H-4.2Z',
  'M-4 -1.4H-1.4V-4H1.4V-1.4H4V1.4H1.4V4H-1.4V1.4H-4Z',
] as const;

/** Distinct styles; further series repeat them. */
export const STYLES = SHAPES.length;

/** The class that sets a series' colour and dash. */
export function styleClass(series: number): string {
  return `chart-series-${series % STYLES}`;
}

/** Marks of series, and the hatching of days without data, for reuse. */
export function Definitions({ id, series }: { readonly id: string; readonly series: number }): JSX.Element {
  return (
    <defs>
      <Hatching id={id} />
      {Array.from({ length: Math.min(series, STYLES) }, (_, i) => (
        <path id={`${id}-mark-${i}`} d={SHAPES[i]} />
      ))}
    </defs>
  );
}

/** For `fill={hatch(id)}`. */
function Hatching({ id }: { readonly id: string }): JSX.Element {
  return (
    <pattern id={`${id}-hatch`} width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
      <line class="chart-hatch" x1="0" x2="0" y1="0" y2="7" />
    </pattern>
  );
}

/** The fill of days without data. */
export function hatch(id: string): string {
  return `url(#${id}-hatch)`;
}

/** As a path's data. */
export function shapeOf(series: number): string {
  return SHAPES[series % STYLES] ?? SHAPES[0];
}

/** The latest ones per series; more would form a solid band. */
export const MARKS_MAX = 120;

export interface SeriesChange<T extends Interval> {
  readonly name: string;
  /** Index of the series. */
  readonly style: number;
  readonly change: Change<T>;
}

export function markedChanges<T extends Interval>(series: readonly StepSeries<T>[]): readonly SeriesChange<T>[] {
  return series.flatMap(({ name, intervals }, style) =>
    changesOf(intervals)
      .slice(-MARKS_MAX)
      .map((change) => ({ name, style, change })),
  );
}

/** A sentence per series with unmarked changes. */
export function unmarkedText(series: readonly StepSeries[]): string {
  return series
    .map(({ name, intervals }) => ({ name, count: changesOf(intervals).length }))
    .filter(({ count }) => count > MARKS_MAX)
    .map(({ name, count }) => `${name}: only the ${MARKS_MAX} latest of ${count} changes have a mark.`)
    .join(' ');
}

interface ChangeMarksProps<T extends Interval> {
  readonly id: string;
  readonly changes: readonly SeriesChange<T>[];
  readonly days: DayScale;
  readonly values: ValueScale;
  readonly format: (interval: T) => string;
}

/** With the change as tooltip. */
export function ChangeMarks<T extends Interval>({
  id,
  changes,
  days,
  values,
  format,
}: ChangeMarksProps<T>): JSX.Element {
  return (
    <>
      {changes.map(({ name, style, change }) => (
        <use
          class={`chart-mark ${styleClass(style)}`}
          href={`#${id}-mark-${style % STYLES}`}
          x={percent(days.startOf(change.interval.from))}
          y={px(PLOT_TOP + values.yOf(change.interval.value))}
        >
          <title>{`${name}: ${changeText(change, format)}`}</title>
        </use>
      ))}
    </>
  );
}

/** It may have begun before the days shown. */
function changeText<T extends Interval>({ interval, before }: Change<T>, format: (interval: T) => string): string {
  const day = formatDay(interval.from);
  return before ? `${format(interval)} since ${day}, before that ${format(before)}` : `${format(interval)} on ${day}`;
}

/** A statement about a range of days. */
export interface Fact {
  readonly text: string;
  /** Shown above the plot, where space is short; default: `text`. */
  readonly short?: string;
  /** Index of the series. */
  readonly style?: number;
}

interface ReadoutProps {
  /** Edges of the range in percent. */
  readonly start: number;
  readonly end: number;
  /** The range as text. */
  readonly days: string;
  readonly facts: readonly Fact[];
  /** Drawn for the range, already escaped. */
  readonly children?: ComponentChildren;
}

/** Beside the days; more get their own line. */
const ONE_LINE_MAX = 2;

/** Days whose values appear above the plot while pointed at, and in a tooltip. */
export function Readout({ start, end, days, facts, children }: ReadoutProps): JSX.Element {
  const [x, width, height] = [percent(start), percent(end - start), PLOT_BOTTOM - LAYOUT.top];
  return (
    <g class="chart-stretch">
      <title>{[days, ...facts.map(({ text }) => text)].join(' · ')}</title>
      <rect class="chart-hit" x={x} y={LAYOUT.top} width={width} height={height} />
      {children}
      <text class="chart-readout" x="-44" y={LAYOUT.unitY}>
        <tspan>{days}</tspan>
        {facts.map(({ text, short = text, style }, i) => (
          <tspan
            class={style === undefined ? 'chart-fact' : `chart-fact ${styleClass(style)}`}
            {...placeOf(i, facts.length > ONE_LINE_MAX)}
          >
            {short}
          </tspan>
        ))}
      </text>
    </g>
  );
}

function placeOf(index: number, onOwnLine: boolean) {
  return index === 0 && onOwnLine ? { x: '-44', dy: '15' } : { dx: '10' };
}
