import type { Children } from '@kitajs/html';
import { LAYOUT, PLOT_BOTTOM, percent } from './layout.ts';

interface ReadoutProps {
  /** Edges of the stretch of days in percent. */
  readonly start: number;
  readonly end: number;
  /** What is told while somebody points at the stretch. */
  readonly text: string;
  /** What is drawn for the stretch, already escaped. */
  readonly children?: Children;
}

/** A stretch of days that tells its values above the plot, without any script, and as the browser's own tooltip. */
export function Readout({ start, end, text, children }: ReadoutProps): JSX.Element {
  const [x, width, height] = [percent(start), percent(end - start), PLOT_BOTTOM - LAYOUT.top];
  return (
    <g class="chart-stretch">
      <title safe>{text}</title>
      <rect class="chart-hit" x={x} y={LAYOUT.top} width={width} height={height} />
      {children}
      <text class="chart-readout" x="-44" y={LAYOUT.unitY} safe>
        {text}
      </text>
    </g>
  );
}
