import type { Day } from '../../runtime/day.ts';
import { percent, px } from './parts/layout.ts';
import { LINE_WIDTH, linePath } from './parts/step-lines.tsx';
import { dayScale } from './scales/day-scale.ts';
import { type Interval, isHeld, shownIntervals } from './scales/intervals.ts';
import { rankScale, valueScale } from './scales/value-scale.ts';

export interface SparklineProps {
  /** What it shows, in words: `Rank in text, 90 days: 3, before that 5`. It stands for the drawing where nobody sees it. */
  readonly label: string;
  readonly intervals: readonly Interval[];
  readonly from: Day;
  readonly to: Day;
  /** Ranks have their best value, 1, on top. */
  readonly isRank?: boolean;
}

/** Pixels; the last value's dot and half a line must fit above and below. */
const [HEIGHT, MARGIN] = [24, 4];

/** A tiny line for a cell of a table, with a dot where it stands now. It leaves out axes and numbers, so the cell says those. */
export function Sparkline({ label, intervals, from, to, isRank = false }: SparklineProps): JSX.Element {
  const days = dayScale(from, to);
  const shown = shownIntervals(intervals, days.from, days.to);
  const held = shown.filter(isHeld);
  const numbers = held.map(({ value }) => value);
  const inner = HEIGHT - 2 * MARGIN;
  const values = isRank ? rankScale(numbers, inner) : valueScale(numbers, { height: inner, fromZero: false });
  const last = held.at(-1);
  return (
    <svg class="chart-sparkline chart-look-0" width="96" height={HEIGHT} role="img">
      <title safe>{label}</title>
      <svg
        y={MARGIN}
        width="100%"
        height={inner}
        viewBox={`0 0 ${LINE_WIDTH} ${inner}`}
        preserveAspectRatio="none"
        aria-hidden="true"
        class="chart-lines"
      >
        <path class="chart-line" d={linePath(shown, days, values)} />
      </svg>
      {last !== undefined && (
        <circle class="chart-mark" cx={percent(days.endOf(last.to))} cy={px(MARGIN + values.yOf(last.value))} r="2.5" />
      )}
    </svg>
  );
}
