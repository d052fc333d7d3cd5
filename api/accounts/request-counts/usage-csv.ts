import { orUnavailable } from '../../database/database-errors.ts';
import type { Database, RequestCountsRow } from '../../database/tables/tables.ts';
import { type CredentialName, readCredentialNames } from './read-usage.ts';
import { assertDayRange, COUNT_NAMES, type DayRange } from './request-counts.ts';

/** The columns of the CSV, in order. */
export const CSV_COLUMNS = [
  'day',
  'key_id',
  'key_name',
  'last_four',
  'route',
  'client_source',
  ...COUNT_NAMES,
] as const;

/** Lines of one piece, and rows of one read. More hold up others on SQLite for longer. */
const LINES_MAX = 500;

/**
 * The counts of an organization's requests as CSV (RFC 4180: CRLF, quotes doubled): the header, then pieces with a line per day,
 * key, route and client source, in that order. A name that a spreadsheet would take for a formula has an apostrophe before it.
 * Rejects with `usage` where the range makes no sense, and with `unavailable`.
 */
export async function* usageCsv(
  database: Database,
  organizationId: string,
  range: DayRange,
): AsyncGenerator<string, void> {
  assertDayRange(range);
  yield lineOf(CSV_COLUMNS);
  const nameOf = await orUnavailable(() => readCredentialNames(database, organizationId));
  let last: RequestCountsRow | undefined;
  do {
    const rows = await readRows(database, { organizationId, range, after: last });
    if (rows.length > 0) yield rows.map((row) => lineOf(valuesOf(row, nameOf(row.api_key_id)))).join('');
    last = rows.length < LINES_MAX ? undefined : rows.at(-1);
  } while (last !== undefined);
}

interface RowsAfter {
  readonly organizationId: string;
  readonly range: DayRange;
  /** The last row that was read. */
  readonly after: RequestCountsRow | undefined;
}

/** In the order of the primary key. */
function readRows(
  database: Database,
  { organizationId, range, after }: RowsAfter,
): Promise<readonly RequestCountsRow[]> {
  const wanted = database
    .selectFrom('request_counts')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('day', '<=', range.to)
    .orderBy('day')
    .orderBy('api_key_id')
    .orderBy('route')
    .orderBy('client_source')
    .limit(LINES_MAX);
  if (after === undefined) return orUnavailable(() => wanted.where('day', '>=', range.from).execute());
  // Without the beginning of the range, which SQLite would look for in place of the last row.
  const { day, api_key_id, route, client_source } = after;
  const beyond = wanted.where(({ eb, refTuple, tuple }) =>
    eb(refTuple('day', 'api_key_id', 'route', 'client_source'), '>', tuple(day, api_key_id, route, client_source)),
  );
  return orUnavailable(() => beyond.execute());
}

function valuesOf(row: RequestCountsRow, { name, last_four }: CredentialName): readonly string[] {
  const { day, api_key_id, route, client_source } = row;
  const counts = COUNT_NAMES.map((count) => String(row[count]));
  const texts = [day, api_key_id, name, last_four, route, client_source];
  return [...texts.map(withoutFormula), ...counts];
}

function lineOf(values: readonly string[]): string {
  return `${values.map(fieldOf).join(',')}\r\n`;
}

function withoutFormula(text: string): string {
  return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}

function fieldOf(value: string): string {
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
