import type { ComponentChildren, JSX } from 'preact';
import { formatDay } from './format.ts';
import { type Change, changesOf, type Interval, type StepSeries } from './intervals.ts';
import { type DayScale, LAYOUT, PLOT_BOTTOM, PLOT_TOP, percent, px, type ValueScale } from './scales.ts';

/** The shapes that tell series apart beside colour and dash; drawn around 0, 0. */
const SHAPES = [
  'M-3.5 0A3.5 3.5 0 1 0 3.5 0A3.5 3.5 0 1 0 -3.5 0Z',
  'M-3 -3H3V3H-3Z',
  'M0 -4.6L4.6 0L0 4.6L-4.6 0Z',
  'M0 -4.4L4.2 3.2H-4.2Z',
  'M0 4.4L4.2 -3.2H-4.2Z',
  'M-4 -1.4H-1.4V-4H1.4V-1.4H4V1.4H1.4V4H-1.4V1.4H-4Z',
] as const;

/** How many series can be told apart; further ones look like the first ones again. */
export const LOOKS = SHAPES.length;

/** The class of a series, which gives its colour and dash in the style sheet. */
export function lookOf(series: number): string {
  return `chart-look-${series % LOOKS}`;
}

/** What is drawn many times, once: the marks of so many series, and the hatching of days without data. */
export function Definitions({ id, series }: { readonly id: string; readonly series: number }): JSX.Element {
  return (
    <defs>
      <Hatching id={id} />
      {Array.from({ length: Math.min(series, LOOKS) }, (_, i) => (
        <path id={`${id}-mark-${i}`} d={SHAPES[i]} />
      ))}
    </defs>
  );
}

/** Oblique lines, to be used as `fill={hatch(id)}`. */
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

/** The shape of a series as a path's data. */
export function shapeOf(series: number): string {
  return SHAPES[series % LOOKS] ?? SHAPES[0];
}

/** So many changes of a series are marked, the latest ones; more would be a band of ink. */
export const MARKS_MAX = 120;

/** A change of a series that is to be marked. */
export interface SeriesChange<T extends Interval> {
  readonly name: string;
  /** The place of the series among all, which decides how its mark looks. */
  readonly look: number;
  readonly change: Change<T>;
}

/** The changes of all series that get a mark. */
export function markedChanges<T extends Interval>(series: readonly StepSeries<T>[]): readonly SeriesChange<T>[] {
  return series.flatMap(({ name, intervals }, look) =>
    changesOf(intervals)
      .slice(-MARKS_MAX)
      .map((change) => ({ name, look, change })),
  );
}

/** Which series have changes without a mark, in a sentence each; empty when all are marked. */
export function unmarkedInWords(series: readonly StepSeries[]): string {
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
  /** What an interval held, for people. */
  readonly format: (interval: T) => string;
}

/** A mark where each change begins, which tells the change in words. */
export function ChangeMarks<T extends Interval>({
  id,
  changes,
  days,
  values,
  format,
}: ChangeMarksProps<T>): JSX.Element {
  return (
    <>
      {changes.map(({ name, look, change }) => (
        <use
          class={`chart-mark ${lookOf(look)}`}
          href={`#${id}-mark-${look % LOOKS}`}
          x={percent(days.startOf(change.interval.from))}
          y={px(PLOT_TOP + values.yOf(change.interval.value))}
        >
          <title>{`${name}: ${changeInWords(change, format)}`}</title>
        </use>
      ))}
    </>
  );
}

/** The first value shown may have begun before the days that are shown, so nothing is said about its beginning. */
function changeInWords<T extends Interval>({ interval, before }: Change<T>, format: (interval: T) => string): string {
  const day = formatDay(interval.from);
  return before ? `${format(interval)} since ${day}, before that ${format(before)}` : `${format(interval)} on ${day}`;
}

/** A thing that is told about a stretch of days. */
export interface Fact {
  readonly text: string;
  /** What is shown above the plot, where room is short; the text unless told. */
  readonly short?: string;
  /** The series that it is about, by its place. */
  readonly look?: number;
}

interface ReadoutProps {
  /** Edges of the stretch of days in percent. */
  readonly start: number;
  readonly end: number;
  /** The stretch in words. */
  readonly days: string;
  readonly facts: readonly Fact[];
  /** What is drawn for the stretch, already escaped. */
  readonly children?: ComponentChildren;
}

/** So many facts stand beside the days; more begin a line of their own. */
const ONE_LINE_MAX = 2;

/** A stretch of days that tells its values above the plot while it is pointed at, and as the browser's own tooltip. */
export function Readout({ start, end, days, facts, children }: ReadoutProps): JSX.Element {
  const [x, width, height] = [percent(start), percent(end - start), PLOT_BOTTOM - LAYOUT.top];
  return (
    <g class="chart-stretch">
      <title>{[days, ...facts.map(({ text }) => text)].join(' · ')}</title>
      <rect class="chart-hit" x={x} y={LAYOUT.top} width={width} height={height} />
      {children}
      <text class="chart-readout" x="-44" y={LAYOUT.unitY}>
        <tspan>{days}</tspan>
        {facts.map(({ text, short = text, look }, i) => (
          <tspan
            class={look === undefined ? 'chart-fact' : `chart-fact ${lookOf(look)}`}
            {...placeOf(i, facts.length > ONE_LINE_MAX)}
          >
            {short}
          </tspan>
        ))}
      </text>
    </g>
  );
}

/** Beside what stands before it, or at the beginning of the second line. */
function placeOf(index: number, onLineOfItsOwn: boolean) {
  return index === 0 && onLineOfItsOwn ? { x: '-44', dy: '15' } : { dx: '10' };
}
