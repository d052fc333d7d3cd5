import type { ComponentChildren, JSX } from 'preact';
import { hatch, shapeOf, styleClass } from './marks.tsx';
import { CHART_HEIGHT } from './scales.ts';

interface ChartFigureProps {
  /** Unique on the page; letters, digits and hyphens. */
  readonly id: string;
  readonly title: string;
  /** In sentences; replaces the drawing for screen readers. */
  readonly summary: string;
  readonly legend: readonly LegendItem[];
  readonly table: ChartTable;
  /** SVG elements, already escaped. */
  readonly children: ComponentChildren;
}

/** Title, summary and legend of a drawing, and its data as a table. */
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

/** The first cell of each row names it. */
export interface ChartTable {
  readonly caption: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

interface DataTableProps {
  /** The chart's. */
  readonly id: string;
  readonly table: ChartTable;
}

/** Collapsed by default. */
function DataTable({ id, table: { caption, columns, rows } }: DataTableProps): JSX.Element {
  return (
    <details class="chart-data">
      <summary>Data as a table</summary>
      <section class="chart-table" tabindex={0} aria-labelledby={`${id}-caption`}>
        <table>
          <caption id={`${id}-caption`}>{caption}</caption>
          <thead>
            <tr>
              {columns.map((column) => (
                <th scope="col">{column}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((cells) => (
              <Row cells={cells} />
            ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}

function Row({ cells: [head = '', ...cells] }: { readonly cells: readonly string[] }): JSX.Element {
  return (
    <tr>
      <th scope="row">{head}</th>
      {cells.map((cell) => (
        <td>{cell}</td>
      ))}
    </tr>
  );
}

/** A series by its number, or a shared style. */
export type Style = number | 'used' | 'unfinished' | 'refused' | 'limit' | 'gap' | 'before';

export interface LegendItem {
  readonly style: Style;
  readonly label: string;
}

function Legend({ id, items }: { readonly id: string; readonly items: readonly LegendItem[] }): JSX.Element | null {
  if (items.length === 0) return null;
  return (
    <ul class="chart-legend">
      {items.map(({ style, label }) => (
        <li>
          <svg class="chart-swatch" width="26" height="12" aria-hidden="true">
            <Swatch id={id} style={style} />
          </svg>
          <span>{label}</span>
        </li>
      ))}
    </ul>
  );
}

function Swatch({ id, style }: { readonly id: string; readonly style: Style }): JSX.Element {
  if (typeof style === 'number')
    return (
      <g class={styleClass(style)}>
        <line class="chart-line" x1="0" x2="26" y1="6" y2="6" />
        <path class="chart-mark" d={shapeOf(style)} transform="translate(13 6)" />
      </g>
    );
  if (style === 'limit') return <line class="chart-limit" x1="0" x2="26" y1="6" y2="6" />;
  if (style === 'gap') return <rect class="chart-gap" width="26" height="12" fill={hatch(id)} />;
  return <rect class={`chart-${style}`} x="6" y="0.5" width="14" height="11" />;
}
