import type { JSX } from 'preact';
import type { Day } from '../../../runtime/day.ts';
import { formatDay } from '../format.ts';
import type { DayScale } from '../scales/day-scale.ts';
import type { ValueScale } from '../scales/value-scale.ts';
import { PLOT_BOTTOM, percent, px } from './layout.ts';
import { type Fact, Readout } from './readout.tsx';

interface UsageBarProps {
  readonly usage: { readonly day: Day; readonly units: number; readonly refused: number };
  readonly days: DayScale;
  readonly values: ValueScale;
  readonly isToday: boolean;
  /** What is told about the day. */
  readonly facts: readonly Fact[];
}

/** Part of a day's room that its bar takes. */
const BAR = 0.72;
/** What is not zero is seen, however small: pixels. */
const LEAST_HEIGHT = 2;

/** The bar of a day: what was used, and above it what was refused. */
export function UsageBar({ usage: { day, units, refused }, days, values, isToday, facts }: UsageBarProps): JSX.Element {
  const [start, end] = [days.startOf(day), days.endOf(day)];
  const inset = ((end - start) * (1 - BAR)) / 2;
  const place = { x: percent(start + inset), width: percent((end - start) * BAR) };
  const [usedHeight, refusedHeight] = [heightOf(units, values), heightOf(refused, values)];
  return (
    <Readout start={start} end={end} days={formatDay(day)} facts={facts}>
      {usedHeight > 0 && (
        <rect
          class={isToday ? 'chart-unfinished' : 'chart-used'}
          x={place.x}
          width={place.width}
          y={px(PLOT_BOTTOM - usedHeight)}
          height={px(usedHeight)}
        />
      )}
      {refusedHeight > 0 && (
        <rect
          class="chart-refused"
          x={place.x}
          width={place.width}
          y={px(PLOT_BOTTOM - usedHeight - refusedHeight)}
          height={px(refusedHeight)}
        />
      )}
    </Readout>
  );
}

function heightOf(count: number, values: ValueScale): number {
  return count > 0 ? Math.max(LEAST_HEIGHT, values.yOf(0) - values.yOf(count)) : 0;
}
