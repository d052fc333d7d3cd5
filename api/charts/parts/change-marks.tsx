import type { JSX } from 'preact';
import { formatDay } from '../format.ts';
import type { DayScale } from '../scales/day-scale.ts';
import { type Change, changesOf, type Interval } from '../scales/intervals.ts';
import type { ValueScale } from '../scales/value-scale.ts';
import { PLOT_TOP, percent, px } from './layout.ts';
import { LOOKS, lookOf } from './marks.tsx';
import type { StepSeries } from './step-lines.tsx';

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
