import type { JSX } from 'preact';
import type { Day } from '../../../runtime/day.ts';
import { formatNumber } from '../format.ts';
import type { DayScale } from '../scales/day-scale.ts';
import type { Interval } from '../scales/intervals.ts';
import type { ValueScale } from '../scales/value-scale.ts';
import { PLOT_TOP, px } from './layout.ts';
import { linePath, StretchedLines } from './step-lines.tsx';

interface LimitLineProps {
  readonly limits: readonly { readonly day: Day; readonly limit: number | null }[];
  readonly days: DayScale;
  readonly values: ValueScale;
}

/** The limit of each day, where it lies within the scale, with the last one in numbers. */
export function LimitLine({ limits, days, values }: LimitLineProps): JSX.Element | null {
  const seen = limits.filter(({ limit }) => limit !== null && limit <= values.high);
  const intervals: readonly Interval[] = seen.map(({ day, limit }) => ({ from: day, to: day, value: limit }));
  const last = intervals.at(-1);
  if (!last || last.value === null) return null;
  return (
    <>
      <StretchedLines>
        <path class="chart-limit" d={linePath(intervals, days, values)} />
      </StretchedLines>
      <text class="chart-note" x="100%" y={px(PLOT_TOP + values.yOf(last.value) - 6)} text-anchor="end">
        {`limit ${formatNumber(last.value)}`}
      </text>
    </>
  );
}
