/** Days in a row on which nothing changed, as one row: a year of one price is a line, not 365. Nothing is lost by it. */
import { addDays } from '../../../runtime/day.ts';
import { type Columns, cell, type Row } from './table.ts';

export interface Run extends Row {
  /** The first day and the last, every day between them recorded. */
  readonly from: string;
  readonly to: string;
  /** The cells of the columns, by their heads. */
  readonly cells: Readonly<Record<string, string>>;
}

/**
 * The runs of points, in the order in which they begin. Points have a `date` and come by it; `series` tells which of one day are of one
 * thing, such as a provider; a day that is missing ends a run.
 */
export function runsOf(points: readonly Row[], columns: Columns, series: (point: Row) => string): readonly Run[] {
  const runs: { from: string; to: string; cells: Readonly<Record<string, string>> }[] = [];
  const open = new Map<string, (typeof runs)[number]>();
  for (const point of points) {
    const date = String(point['date']);
    const cells = Object.fromEntries(
      Object.entries(columns).map(([head, fill]) => [head, cell(typeof fill === 'string' ? point[fill] : fill(point))]),
    );
    const run = open.get(series(point));
    if (run !== undefined && addDays(run.to, 1) === date && isEqual(run.cells, cells)) {
      run.to = date;
    } else {
      const begun = { from: date, to: date, cells };
      open.set(series(point), begun);
      runs.push(begun);
    }
  }
  return runs;
}

function isEqual(one: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>): boolean {
  return Object.entries(one).every(([head, text]) => other[head] === text);
}

/** The columns of a table of runs. */
export function runColumns(columns: Columns): Columns {
  const heads = Object.keys(columns).map((head) => [head, (run: Row) => Object(run['cells'])[head]] as const);
  return { from: 'from', to: 'to', ...Object.fromEntries(heads) };
}
