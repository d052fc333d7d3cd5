/** CSV of RFC 4180. */

/** Null and undefined are empty; an empty text is quoted. */
export function csvCell(value: string | number | null | undefined): string {
  const text = String(value ?? '');
  return value === '' || BREAKING.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const BREAKING = /[",\r\n]/;

/** @param cells see {@link csvCell} */
export function csvLine(cells: readonly string[]): string {
  return `${cells.join(',')}\r\n`;
}
