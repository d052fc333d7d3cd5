import type { ComponentChildren, JSX } from 'preact';
import { type ChartTable, DataTable } from './data-table.tsx';
import { CHART_HEIGHT } from './layout.ts';
import { Legend, type LegendItem } from './legend.tsx';

interface ChartFigureProps {
  /** Unique on the page; letters, digits and hyphens. */
  readonly id: string;
  readonly title: string;
  /** What the chart says, in sentences: read by people below the title, and by screen readers in place of the drawing. */
  readonly summary: string;
  readonly legend: readonly LegendItem[];
  readonly table: ChartTable;
  /** Elements of SVG, already escaped. */
  readonly children: ComponentChildren;
}

/** What every chart has around its drawing: title, summary, legend, and the data as a table. */
export function ChartFigure({ id, title, summary, legend, table, children }: ChartFigureProps): JSX.Element {
  return (
    <figure class="chart" id={id}>
      <figcaption class="chart-caption">
        <strong id={`${id}-title`}>{title}</strong>
        <span class="chart-summary" id={`${id}-summary`}>
          {summary}
        </span>
      </figcaption>
      <Legend id={id} items={legend} />
      <div class="chart-frame">
        {/* biome-ignore lint/a11y/noSvgWithoutTitle: the caption names it; a title of its own would pop up over the whole drawing. */}
        <svg class="chart-drawing" height={CHART_HEIGHT} role="img" aria-labelledby={`${id}-title ${id}-summary`}>
          {children}
        </svg>
      </div>
      <DataTable id={id} table={table} />
    </figure>
  );
}
