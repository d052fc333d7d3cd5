import { queryProblem, RequestInvalid, type RequestProblem } from '../../http/errors/validation.ts';
import { number, text } from '../../storage/duckdb/row-shape.ts';
import { sha256 } from '../../storage/hash.ts';
import type { QueryValue } from '../view/query-pool.ts';
import type { View } from '../view/view.ts';

/** A condition with its values; `?` stands for each, in order. */
export interface Condition {
  readonly sql: string;
  readonly values: readonly QueryValue[];
}

export interface SortKey {
  readonly column: string;
  readonly isDescending: boolean;
  /** DuckDB's type, to compare a cursor's text with the column. */
  readonly type: 'VARCHAR' | 'DOUBLE' | 'BIGINT' | 'INTEGER' | 'DATE' | 'TIMESTAMP';
}

export interface ListQuery {
  /** The view's table. */
  readonly table: string;
  readonly conditions: readonly Condition[];
  /** What sorts first; undefined: the key alone. NULLs come last, whatever the direction. */
  readonly sort?: SortKey | undefined;
  /** The table's key, which breaks ties. */
  readonly key: readonly string[];
  /** What is put into each record's published line, and how; default: nothing. */
  readonly detail?: { readonly sql: string; readonly addTo: (line: string, detail: string) => string };
  /** What a cursor belongs to besides table and order; default: the conditions. */
  readonly cursorScope?: string;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

export interface ListPage {
  /** Records as JSON text. */
  readonly lines: readonly string[];
  /** Records that meet the conditions, on all pages. */
  readonly total: number;
  readonly nextCursor: string | null;
}

/**
 * One page of the records that meet the conditions (specification "Lists"). The cursor names the last record of the page
 * before, so pages neither skip nor repeat.
 */
export async function listPage(view: View, query: ListQuery): Promise<ListPage> {
  const hash = listHash(query);
  const sortColumns = query.sort === undefined ? query.key : [query.sort.column, ...query.key];
  const position = query.cursor === undefined ? undefined : getPosition(query.cursor, hash, sortColumns.length);
  const after = position === undefined ? [] : afterCursor(query, position);
  const positionSql = sortColumns.map((column) => `CAST(${column} AS VARCHAR)`).join(', ');
  const page = render([...query.conditions, ...after]);
  const all = render(query.conditions);
  const [rows, [counted]] = await Promise.all([
    view.rows(
      { line: text, detail: text, position: text },
      `SELECT line, ${query.detail?.sql ?? "''"} AS detail, to_json([${positionSql}])::VARCHAR AS position
       FROM ${query.table} WHERE ${page.sql} ORDER BY ${orderSql(query)}
       LIMIT $${page.values.length + 1}::INTEGER`,
      [...page.values, query.limit + 1],
    ),
    view.rows({ total: number }, `SELECT count(*)::DOUBLE AS total FROM ${query.table} WHERE ${all.sql}`, all.values),
  ]);
  const { detail } = query;
  const shown = rows.slice(0, query.limit);
  const last = shown.at(-1);
  return {
    lines: shown.map((row) => (detail === undefined ? row.line : detail.addTo(row.line, row.detail))),
    total: counted?.total ?? 0,
    nextCursor: rows.length > query.limit && last !== undefined ? cursorFrom(hash, last.position) : null,
  };
}

/** Numbers the `?` of conditions and joins them. */
function render(conditions: readonly Condition[]): Condition {
  let count = 0;
  const sql = conditions.map((condition) => {
    return `(${condition.sql.replaceAll('?', () => {
      count += 1;
      return `$${count}`;
    })})`;
  });
  return { sql: sql.join(' AND ') || 'true', values: conditions.flatMap(({ values }) => values) };
}

function orderSql({ sort, key }: ListQuery): string {
  const first = sort === undefined ? [] : [`${sort.column} ${sort.isDescending ? 'DESC' : 'ASC'} NULLS LAST`];
  return [...first, ...key].join(', ');
}

/** The rows after a position in the order of {@link orderSql}. */
function afterCursor({ sort, key }: ListQuery, position: readonly (string | null)[]): readonly Condition[] {
  const ids = position.slice(sort === undefined ? 0 : 1);
  const later: Condition = { sql: `(${key.join(', ')}) > (${key.map(() => '?').join(', ')})`, values: ids };
  if (sort === undefined) return [later];
  const [value = null] = position;
  if (value === null) return [{ sql: `${sort.column} IS NULL`, values: [] }, later];
  const typed = `TRY_CAST(?::VARCHAR AS ${sort.type})`;
  const beyond = `${sort.column} ${sort.isDescending ? '<' : '>'} ${typed} OR ${sort.column} IS NULL`;
  return [
    { sql: `${beyond} OR (${sort.column} = ${typed} AND ${later.sql})`, values: [value, value, ...later.values] },
  ];
}

/** Tells requests with other filters or another order apart. */
function listHash({ table, conditions, sort, cursorScope }: ListQuery): string {
  return sha256(JSON.stringify([table, cursorScope ?? conditions, sort ?? null])).slice(0, HASH_LENGTH);
}

const HASH_LENGTH = 8;

function cursorFrom(hash: string, position: string): string {
  return Buffer.from(hash + position, 'utf8').toString('base64url');
}

function getPosition(cursor: string, hash: string, parts: number): readonly (string | null)[] {
  const decoded = Buffer.from(cursor, 'base64url').toString('utf8');
  const position = decoded.startsWith(hash) ? parsePosition(decoded.slice(hash.length)) : undefined;
  if (position?.length === parts) return position;
  throw new RequestInvalid([cursorProblem(cursor)]);
}

/** What is wrong with a text that can't be the cursor of any list; one of another list shows when the page is made. */
export function findCursorProblem(cursor: string): RequestProblem | undefined {
  const decoded = Buffer.from(cursor, 'base64url').toString('utf8');
  return parsePosition(decoded.slice(HASH_LENGTH)) === undefined ? cursorProblem(cursor) : undefined;
}

function cursorProblem(cursor: string): RequestProblem {
  return queryProblem('cursor', cursor, {
    msg: 'This cursor is not one of this list with these filters and this order; begin without one',
    type: 'cursor_invalid',
  });
}

function parsePosition(json: string): readonly (string | null)[] | undefined {
  try {
    const parsed: unknown = JSON.parse(json);
    const isPosition = Array.isArray(parsed) && parsed.every((part) => part === null || typeof part === 'string');
    return isPosition ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** A condition for a parameter that is given; none for one that isn't. `values` stand for the `?` in order. */
export function where(sql: string, ...values: readonly (string | number | undefined)[]): readonly Condition[] {
  const given = values.filter((value) => value !== undefined);
  return given.length === 0 ? [] : [{ sql, values: given }];
}
