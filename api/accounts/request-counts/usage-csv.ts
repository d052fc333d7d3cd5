import { csvCell, csvLine } from '../../../runtime/csv.ts';
import { orUnavailable } from '../../database/database-errors.ts';
import type { Database, RequestCountsRow } from '../../database/tables/tables.ts';
import { type CredentialName, readCredentialNames } from './read-usage.ts';
import { assertDayRange, COUNT_NAMES, type DayRange } from './request-counts.ts';

export const CSV_COLUMNS = [
  'day',
  'key_id',
  'key_name',
  'last_four',
  'route',
  'client_source',
  ...COUNT_NAMES,
] as const;

/** Rows per read and lines per piece. More delay others on SQLite. */
const LINES_MAX = 500;

/**
 * CSV in pieces: the header, then a line per day, key, route and client source, in
 * that order. An apostrophe precedes names that look like formulas. Rejects with `usage` for an invalid range, and with
 * `unavailable`.
 */
export async function* usageCsv(
  database: Database,
  organizationId: string,
  range: DayRange,
): AsyncGenerator<string, void> {
  assertDayRange(range);
  yield csvLine(CSV_COLUMNS.map(csvCell));
  const nameOf = await orUnavailable(() => readCredentialNames(database, organizationId));
  let last: RequestCountsRow | undefined;
  do {
    const rows = await readRows(database, { organizationId, range, after: last });
    if (rows.length > 0) yield rows.map((row) => csvLine(cellsOf(row, nameOf(row.api_key_id)))).join('');
    last = rows.length < LINES_MAX ? undefined : rows.at(-1);
  } while (last !== undefined);
}

interface RowsAfter {
  readonly organizationId: string;
  readonly range: DayRange;
  /** The last row read. */
  readonly after: RequestCountsRow | undefined;
}

/** In primary-key order. */
function readRows(
  database: Database,
  { organizationId, range, after }: RowsAfter,
): Promise<readonly RequestCountsRow[]> {
  const selected = database
    .selectFrom('request_counts')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('day', '<=', range.to)
    .orderBy('day')
    .orderBy('api_key_id')
    .orderBy('route')
    .orderBy('client_source')
    .limit(LINES_MAX);
  if (after === undefined) return orUnavailable(() => selected.where('day', '>=', range.from).execute());
  // Without `from`, which SQLite would seek instead of the last row.
  const { day, api_key_id, route, client_source } = after;
  const following = selected.where(({ eb, refTuple, tuple }) =>
    eb(refTuple('day', 'api_key_id', 'route', 'client_source'), '>', tuple(day, api_key_id, route, client_source)),
  );
  return orUnavailable(() => following.execute());
}

function cellsOf(row: RequestCountsRow, { name, last_four }: CredentialName): readonly string[] {
  const { day, api_key_id, route, client_source } = row;
  const counts = COUNT_NAMES.map((count) => String(row[count]));
  const texts = [day, api_key_id, name, last_four, route, client_source];
  return [...texts.map((text) => csvCell(withoutFormula(text) || null)), ...counts];
}

function withoutFormula(text: string): string {
  return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}
