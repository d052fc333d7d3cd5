/** CSV of RFC 4180 (specification "CSV"). */

/** @param fields the columns; a field that a record lacks is empty, as null is */
export function csvFrom(fields: readonly string[], records: readonly Readonly<Record<string, unknown>>[]): string {
  const lines = records.map((record) => fields.map((field) => cellFrom(record[field])).join(','));
  return [fields.map(cellFrom).join(','), ...lines, ''].join('\r\n');
}

/** Numbers and dates as in JSON, lists and objects as their JSON text. */
function cellFrom(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text === '' || QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const QUOTED = /[",\r\n]/;
