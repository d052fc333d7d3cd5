/** Tables as models read them with the fewest tokens: a line of names, then a line per row, cells apart by ` | `. */

import { plainNumber } from '../../../runtime/plain-number.ts';

export type Row = Readonly<Record<string, unknown>>;

/** What stands above a column, with its unit, and the field or function that fills it. */
export type Columns = Readonly<Record<string, string | ((row: Row) => unknown)>>;

export function table(columns: Columns, rows: readonly Row[]): string {
  const fills = Object.values(columns);
  const lines = rows.map((row) =>
    fills.map((fill) => cell(typeof fill === 'string' ? row[fill] : fill(row))).join(' | '),
  );
  return [Object.keys(columns).join(' | '), ...lines].join('\n');
}

/**
 * A value in a cell: what isn't known is a dash, a list is joined by commas, nothing breaks the line, and numbers have no noise; the
 * structured answer beside the text has all digits.
 */
export function cell(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.map(cell).join(', ');
  if (typeof value === 'object') {
    const fields = Object.entries(value).filter(([, held]) => held !== null);
    return fields.map(([name, held]) => `${name} ${cell(held)}`).join(', ');
  }
  if (typeof value === 'number') return String(plainNumber(value));
  if (typeof value === 'boolean') return String(value);
  const text = String(value);
  return BREAKING.test(text) ? text.replaceAll(/\s+/g, ' ').replaceAll('|', '¦') : text;
}

/** What a cell must not hold: a bar, or white space other than single blanks. */
const BREAKING = /[|\t-\r\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]| {2}/;

/** The rows of a field of a body; none where it has no such list. */
export function rowsOf(body: Row, name: string): readonly Row[] {
  const rows = body[name];
  return Array.isArray(rows) ? (rows as readonly Row[]) : []; // Our own answers hold lists of objects.
}
