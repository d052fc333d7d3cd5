import { LRUCache } from 'lru-cache';
import type { IdKind } from '../../view/schema.ts';
import type { CheckedText, View } from '../../view/view.ts';
import { allOf, type Condition, type CursorPlace, cursorFrom, cursorHash, getPlace, scopesOf } from './conditions.ts';
import { type SortType, type SortValue, sortText, sortValue } from './sort-text.ts';

/** Nulls come last in both directions; the key breaks ties. */
export interface SortKey {
  /** Column or expression of an index. */
  readonly sql: string;
  readonly type: SortType;
  readonly isDescending: boolean;
  readonly isNullable: boolean;
  /** Binds cursors. */
  readonly scope: { readonly column: string; readonly type: string };
}

/** Part of a record's key. */
export interface KeyPart {
  /** Also the column with the number of the id; `event` is a column of text. */
  readonly kind: IdKind | 'event';
  /** Field of the record with the id. */
  readonly field: string;
}

/** In records of models themselves. */
export const OWN_MODEL_KEY = { kind: 'model', field: 'id' } as const satisfies KeyPart;

export const MODEL_KEY = { kind: 'model', field: 'model_id' } as const satisfies KeyPart;

export interface ListQuery {
  readonly table: 'models' | 'all_models' | 'benchmarks' | 'scores' | 'rankings' | 'price_meters' | 'lifecycle';
  readonly conditions: readonly Condition[];
  /** SQL after the table that joins values to its rows, one to each that meets the conditions; default: none. */
  readonly joined?: Pick<Condition, 'sql' | 'values'> | undefined;
  /** Default: by key. */
  readonly sort?: SortKey | undefined;
  /** Columns that identify a record, given the conditions. */
  readonly key: readonly KeyPart[];
  /** Default: SQL counts, and chooses the index. */
  readonly plan?: ((view: View, query: ListQuery) => ListPlan) | undefined;
  /** Adds the sort value to a line. */
  readonly addTo?: (line: string, sorted: SortValue | null) => string;
  /** Binds cursors, beside table and order; default: the conditions. */
  readonly cursorScope?: string;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** How to find a page. */
export interface ListPlan {
  /** Undefined: SQL counts. */
  readonly total: number | undefined;
  /** Undefined: SQL chooses. */
  readonly index: string | undefined;
  /** Whether finding a page takes more than some milliseconds. */
  readonly isLong: boolean;
}

const DEFAULT_PLAN: ListPlan = { total: undefined, index: undefined, isLong: false };

/** One page of records (specification "Lists"). */
export async function listPage(view: View, query: ListQuery) {
  const { sort, key, limit, addTo, plan } = query;
  const hash = hashOf(query);
  const place = query.cursor === undefined ? undefined : getPlace(query.cursor, hash, (sort ? 1 : 0) + key.length);
  const planned = plan?.(view, query) ?? DEFAULT_PLAN;
  const total = planned.total ?? countAll(view, query);
  const records = total === 0 ? [] : await findRecords(view, query, { place, plan: planned });
  const page = records.slice(0, limit);
  const last = page.at(-1);
  return {
    /** Records as JSON text. */
    lines: page.map(({ text, sorted }) => addTo?.(text, sorted) ?? text),
    /** On all pages. */
    total,
    nextCursor: records.length > limit && last !== undefined ? cursorFrom(hash, placeOf(query, last)) : null,
  };
}

/** Cursors outlive versions of the service: what is hashed must not change. */
function hashOf({ table, conditions, cursorScope, sort }: ListQuery): string {
  const order = sort && { column: sort.scope.column, isDescending: sort.isDescending, type: sort.scope.type };
  return cursorHash([table, cursorScope ?? scopesOf(conditions), order ?? null]);
}

interface FoundRecord extends CheckedText {
  /** Null if the record lacks the value, or the order is by key. */
  readonly sorted: SortValue | null;
}

interface Search {
  readonly place: CursorPlace | undefined;
  readonly plan: ListPlan;
}

/** With one more if there is a next page. Records without the sort value come after all others, so they are searched next. */
async function findRecords(view: View, query: ListQuery, { place, plan }: Search): Promise<readonly FoundRecord[]> {
  const { sort } = query;
  const ids = sort === undefined ? place : place?.slice(1);
  const later = ids === undefined ? [] : [laterKey(view, query.key, ids)];
  if (sort === undefined) return findPart(view, query, { plan, conditions: later, limit: query.limit + 1 });
  const [sorted] = place ?? [];
  const isAmongNulls = sorted === null;
  const after = typeof sorted === 'string' ? [laterSort(sort, sorted, later)] : [];
  const withValue = sort.isNullable ? [...after, { sql: `${sort.sql} IS NOT NULL`, values: [] }] : after;
  const first = isAmongNulls
    ? []
    : await findPart(view, query, { plan, conditions: withValue, limit: query.limit + 1 });
  const missing = query.limit + 1 - first.length;
  if (!sort.isNullable || missing === 0) return first;
  const withoutValue = [{ sql: `${sort.sql} IS NULL`, values: [] }, ...(isAmongNulls ? later : [])];
  return [...first, ...(await findPart(view, query, { plan, conditions: withoutValue, limit: missing }))];
}

interface Part {
  readonly plan: ListPlan;
  /** Besides the query's. */
  readonly conditions: readonly Condition[];
  readonly limit: number;
}

/** Finds keys by an index, then reads the lines. */
async function findPart(view: View, query: ListQuery, { plan, conditions, limit }: Part) {
  const { table, joined, sort, key } = query;
  const { sql, values } = allOf([...query.conditions, ...conditions]);
  const { columns: own, lines } = TABLE_KEYS[table];
  const columns = key.map(({ kind }) => kind);
  const order = [...(sort === undefined ? [] : [`${sort.sql}${sort.isDescending ? ' DESC' : ''}`]), ...columns];
  const from = `FROM ${table} ${indexedBy(plan.index)} ${joined?.sql ?? ''} WHERE ${sql} ORDER BY ${order.join(', ')} LIMIT ${limit}`;
  const sorted = sort?.sql ?? 'NULL';
  const bound = [...(joined?.values ?? []), ...values];
  if (lines === undefined) {
    const select = `SELECT line AS text, "check", ${sorted} AS sorted, ${own.join(', ')} ${from}`;
    return view.checkedRows<FoundRecord>(select, bound);
  }
  const found = `SELECT ${[sorted, ...own].join(', ')} ${from}`;
  const names = own.map((_, at) => `k${at}`);
  const select = `WITH found(sorted, ${names.join(', ')}) AS MATERIALIZED (${found})
     SELECT line AS text, "check", sorted FROM found CROSS JOIN ${lines} r
     ON ${own.map((column, at) => `r.${column} = k${at}`).join(' AND ')}`;
  if (!plan.isLong) return view.checkedRows<FoundRecord>(select, bound);
  return view.checkedRowsInThread<FoundRecord>(select, bound);
}

function indexedBy(index: string | undefined): string {
  return index === undefined ? '' : `INDEXED BY ${index}`;
}

/** The key of the lines, and their table. Undefined: read with the keys, since a join to a view of two tables has another order. */
const TABLE_KEYS: Readonly<
  Record<ListQuery['table'], { readonly columns: readonly string[]; readonly lines: string | undefined }>
> = {
  models: { columns: ['model'], lines: 'models' },
  all_models: { columns: ['model'], lines: undefined },
  benchmarks: { columns: ['benchmark'], lines: 'benchmarks' },
  scores: { columns: ['model', 'benchmark'], lines: 'scores' },
  rankings: { columns: ['category', 'rank', 'model'], lines: 'rankings' },
  price_meters: { columns: ['model', 'provider'], lines: 'pricing' },
  lifecycle: { columns: ['model', 'event'], lines: 'lifecycle' },
};

/** After the sort value, or the same one and a later key. */
function laterSort({ sql, type, isDescending }: SortKey, sorted: string, later: readonly Condition[]): Condition {
  const value = sortValue(type, sorted);
  if (value === undefined) return { sql: 'false', values: [] };
  const { sql: laterSql, values } = allOf(later);
  const [from, beyond] = isDescending ? ['<=', '<'] : ['>=', '>'];
  return {
    // The first comparison is the range of the index.
    sql: `${sql} ${from} ? AND (${sql} ${beyond} ? OR (${laterSql}))`,
    values: [value, value, ...values],
  };
}

/** After a key whose record, or ids, may be gone. */
function laterKey(view: View, key: readonly KeyPart[], ids: CursorPlace): Condition {
  const values = key.map(({ kind }, at) => {
    const id = ids[at] ?? '';
    return kind === 'event' ? id : numberAt(view, kind, id);
  });
  const columns = key.map(({ kind }) => kind).join(', ');
  return { sql: `(${columns}) > (${values.map(() => '?').join(', ')})`, values };
}

/** The id's number; of an unknown id one between its neighbours. */
function numberAt(view: View, kind: IdKind, id: string): number {
  const [next] = view.rows<{ readonly id: string; readonly number: number }>(
    'SELECT id, number FROM ids WHERE kind = ? AND id >= ? ORDER BY id LIMIT 1',
    [kind, id],
  );
  if (next === undefined) return Number.MAX_SAFE_INTEGER;
  return next.id === id ? next.number : next.number - 0.5;
}

function placeOf({ sort, key }: ListQuery, { text, sorted }: FoundRecord): CursorPlace {
  const record = JSON.parse(text) as Readonly<Record<string, string>>; // A line of the view; its ids are text.
  const ids = key.map(({ field }) => record[field] ?? '');
  return sort === undefined ? ids : [sorted === null ? null : sortText(sort.type, sorted), ...ids];
}

/** Characters of all cached keys. Smaller: rare filters are counted again for every page. */
const TOTALS_LENGTH_MAX = 1024 * 1024;

/** Approximate cost of an entry besides its key. */
const TOTAL_LENGTH = 200;

/** Totals by conditions, for all pages and orders. */
function createTotals(): LRUCache<string, number> {
  return new LRUCache({ maxSize: TOTALS_LENGTH_MAX, sizeCalculation: (_, key) => key.length + TOTAL_LENGTH });
}

interface Count extends Pick<ListQuery, 'table' | 'conditions'> {
  /** Undefined: SQL chooses. */
  readonly index?: string | undefined;
}

/** Counted once per view and conditions. */
export function countAll(view: View, { table, conditions, index }: Count): number {
  const totals = view.computed(createTotals);
  const key = JSON.stringify([table, scopesOf(conditions)]);
  const known = totals.get(key);
  if (known !== undefined) return known;
  const { sql, values } = allOf(conditions);
  const [row] = view.rows<{ readonly total: number }>(
    `SELECT count(*) AS total FROM ${table} ${indexedBy(index)} WHERE ${sql}`,
    values,
  );
  const total = row?.total ?? 0;
  totals.set(key, total);
  return total;
}
