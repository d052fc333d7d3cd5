import { doubleTextSql } from '../../../storage/duckdb/record-sql.ts';
import { number, text } from '../../../storage/duckdb/row-shape.ts';
import { orderSql, type SortKey } from '../../view/tables/list-orders.ts';
import type { View } from '../../view/view.ts';
import { allOf, type Condition, type CursorPlace, cursorFrom, cursorHash, getPlace } from './conditions.ts';

export interface ListQuery {
  /** Its `pos` is the position in key order, `line` the record's JSON text. */
  readonly table: string;
  readonly conditions: readonly Condition[];
  /** Default: by key. */
  readonly sort?: SortKey | undefined;
  /** Tables with the same records that are faster to read. */
  readonly faster?: FasterTables | undefined;
  /** Columns that identify a record, given the conditions. */
  readonly key: readonly string[];
  /** Whether the first page counts in the same query, because the scan takes most of the time. */
  readonly isCostly?: boolean;
  /** Adds details to each line. */
  readonly detail?: { readonly sql: string; readonly addTo: (line: string, detail: string) => string };
  /** Binds cursors, beside table and order; default: the conditions. */
  readonly cursorScope?: string | readonly Condition[];
  readonly limit: number;
  readonly cursor?: string | undefined;
}

export interface FasterTables {
  /** With `pos`, and `place` in the order of `sort`. */
  readonly sorted: string | undefined;
  readonly counted: string;
  /** For these tables. */
  readonly conditions: readonly Condition[];
}

/** Finds positions from columns that are fast to read, then loads the lines (specification "Lists"; decision 0011). */
export async function listPage(view: View, query: ListQuery) {
  const { sort, key } = query;
  const hash = hashOf(query);
  const parts = (sort === undefined ? 0 : 1) + key.length;
  const place = query.cursor === undefined ? undefined : getPlace(query.cursor, hash, parts);
  const isCountedWithPage = query.isCostly === true && place === undefined;
  const [page, total] = isCountedWithPage
    ? await readCountedPage(view, query)
    : await Promise.all([readPage(view, query, place), countAll(view, query)]);
  const last = page.records.at(-1);
  return {
    /** Records as JSON text. */
    lines: page.records.map(({ line }) => line),
    /** On all pages. */
    total,
    nextCursor: page.hasMore && last !== undefined ? cursorFrom(hash, last.place) : null,
  };
}

async function readPage(view: View, query: ListQuery, place: CursorPlace | undefined) {
  return readFound(view, query, await findPositions(view, query, place));
}

async function readFound(view: View, query: ListQuery, positions: readonly number[]) {
  const records = await readRecords(view, query, positions.slice(0, query.limit));
  return { records, hasMore: positions.length > query.limit };
}

/** Cursors outlive versions of the service: these fields must not change. */
function hashOf({ table, conditions, cursorScope, sort }: ListQuery): string {
  const order = sort && { column: sort.column, isDescending: sort.isDescending, type: sort.type };
  return cursorHash([table, cursorScope ?? conditions, order ?? null]);
}

/** With one more if there is a next page. */
async function findPositions(view: View, query: ListQuery, place: CursorPlace | undefined): Promise<readonly number[]> {
  const { table, sort, conditions, faster, limit } = query;
  const inOrder = sort === undefined ? 'pos' : orderSql(sort);
  // DuckDB stops early if the order is by integers.
  const from =
    faster?.sorted === undefined
      ? { table, conditions, order: inOrder }
      : { table: faster.sorted, conditions: faster.conditions, order: 'place' };
  const later = place === undefined ? [] : await findLater(view, query, place);
  const { sql, values } = allOf([...from.conditions, ...later]);
  const rows = await view.rows(
    { pos: number },
    `SELECT pos FROM ${from.table} WHERE ${sql} ORDER BY ${from.order} LIMIT ${limit + 1}`,
    values,
  );
  return rows.map(({ pos }) => pos);
}

/** Later pages use the cached total. */
async function readCountedPage(view: View, query: ListQuery) {
  const { table, sort, conditions, limit } = query;
  const { sql, values } = allOf(conditions);
  const rows = await view.rows(
    { pos: number, total: number },
    `SELECT pos, (count(*) OVER ())::DOUBLE AS total FROM ${table} WHERE ${sql}
     ORDER BY ${sort === undefined ? 'pos' : orderSql(sort)} LIMIT ${limit + 1}`,
    values,
  );
  const total = rows[0]?.total ?? 0;
  const page = await readFound(
    view,
    query,
    rows.map(({ pos }) => pos),
  );
  return [page, await view.totals.get(totalKey(query), async () => total)] as const;
}

/** Conditions for records after a cursor's, which may be gone. */
async function findLater(
  view: View,
  { table, sort, key }: ListQuery,
  place: CursorPlace,
): Promise<readonly Condition[]> {
  const ids = place.slice(sort === undefined ? 0 : 1);
  const { sql, values } = allOf([laterKey(key, ids)]);
  const [next] = await view.rows({ pos: number }, `SELECT pos FROM ${table} WHERE ${sql} ORDER BY pos LIMIT 1`, values);
  const laterPos: Condition = { sql: 'pos >= ?::INTEGER', values: [next?.pos ?? POS_MAX] };
  if (sort === undefined) return [laterPos];
  const [value = null] = place;
  const { column, isDescending, type, isNullable } = sort;
  if (value === null) return [{ sql: `${column} IS NULL`, values: [] }, laterPos];
  const typed = `TRY_CAST(?::VARCHAR AS ${type})`;
  const beyond = `${column} ${isDescending ? '<=' : '>='} ${typed}`;
  return [
    // DuckDB doesn't always skip blocks with OR IS NULL.
    { sql: isNullable ? `${beyond} OR ${column} IS NULL` : beyond, values: [value] },
    { sql: `${column} IS DISTINCT FROM ${typed} OR ${laterPos.sql}`, values: [value, ...laterPos.values] },
  ];
}

/** Text that parses back to the same value. */
function sortTextSql({ column, type }: SortKey): string {
  return type === 'DOUBLE' ? doubleTextSql(column) : `CAST(${column} AS VARCHAR)`;
}

/** The largest INTEGER. */
const POS_MAX = 2 ** 31 - 1;

/** `k1 >= a AND (k1 > a OR (k2 > b))`: DuckDB skips blocks by the range of a column, not of a row. */
function laterKey([column = '', ...columns]: readonly string[], [id = null, ...ids]: CursorPlace): Condition {
  if (columns.length === 0) return { sql: `${column} > ?`, values: [id] };
  const rest = laterKey(columns, ids);
  return { sql: `${column} >= ? AND (${column} > ? OR (${rest.sql}))`, values: [id, id, ...rest.values] };
}

function countAll(view: View, query: ListQuery): Promise<number> {
  const counted = query.faster?.counted ?? query.table;
  const { sql, values } = allOf(query.faster?.conditions ?? query.conditions);
  return view.totals.get(totalKey(query), async () => {
    const select = `SELECT count(*)::DOUBLE AS total FROM ${counted} WHERE ${sql}`;
    const [row] = await view.rows({ total: number }, select, values);
    return row?.total ?? 0;
  });
}

function totalKey({ table, conditions }: ListQuery): string {
  const { sql, values } = allOf(conditions);
  return JSON.stringify([table, sql, values]);
}

interface ListedRecord {
  readonly line: string;
  /** JSON text of a {@link CursorPlace}. */
  readonly place: string;
}

/** In the order of the positions. */
async function readRecords(
  view: View,
  query: ListQuery,
  positions: readonly number[],
): Promise<readonly ListedRecord[]> {
  if (positions.length === 0) return [];
  const { table, sort, key, detail } = query;
  const place = [...(sort === undefined ? [] : [sortTextSql(sort)]), ...key];
  // DuckDB uses the index only for literal numbers.
  const rows = await view.rowsOnce(
    { pos: number, line: text, detail: text, place: text },
    `SELECT pos, line, ${detail?.sql ?? "''"} AS detail, to_json([${place.join(', ')}])::VARCHAR AS place
     FROM ${table} WHERE pos IN (${positions.join(', ')})`,
  );
  const byPosition = new Map(rows.map((row) => [row.pos, row]));
  return positions.map((pos) => {
    const row = byPosition.get(pos);
    if (row === undefined) throw new Error(`${table} has no record at position ${pos}`);
    return { line: detail === undefined ? row.line : detail.addTo(row.line, row.detail), place: row.place };
  });
}
