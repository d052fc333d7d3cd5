import type { ComponentChildren, JSX } from 'preact';
import { LAYOUT, PLOT_BOTTOM, percent } from './layout.ts';
import { lookOf } from './marks.tsx';

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
