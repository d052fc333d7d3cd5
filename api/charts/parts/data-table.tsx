import type { JSX } from 'preact';

/** What a chart shows, as rows; the first cell of each names it. */
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

/** The data behind a chart, folded away until somebody asks for it. */
export function DataTable({ id, table: { caption, columns, rows } }: DataTableProps): JSX.Element {
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
