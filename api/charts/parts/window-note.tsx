import type { JSX } from 'preact';
import type { Day } from '../../../runtime/day.ts';
import { formatCount, formatDay } from '../format.ts';
import type { DayScale } from '../scales/day-scale.ts';
import { LAYOUT, PLOT_BOTTOM, percent } from './layout.ts';

/** The days that a plan shows. */
export interface PlanWindow {
  /** The first day that the plan shows. */
  readonly from: Day;
  readonly months: number;
}

/** Shades what lies before the plan's window, and says so; where nothing does, it says where the window begins. */
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
