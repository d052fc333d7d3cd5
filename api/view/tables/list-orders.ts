/**
 * Orders in which the view keeps the scores beside that of their key, so that a page is read from where it lies instead of
 * being sorted out of all rows. Each is a table with one row per score, in that order: its `place` in it, its `pos` in
 * `scores`, and the columns that filters look at, all but the model: of one of those there are so few scores that sorting them
 * takes less than keeping the ids once more for every order. Of benchmarks there are few, so their ids take little. Who measured is
 * a number there that reads as its text, {@link SCORE_SOURCE}: a million texts take twice as long to compare.
 */
import type { Database } from '../../../storage/duckdb/database.ts';
import { number } from '../../../storage/duckdb/row-shape.ts';

/** What a list is sorted by. Records without the value come last, whatever the direction; `pos`, that is the key, breaks ties. */
export interface SortKey {
  readonly column: string;
  readonly isDescending: boolean;
  /** DuckDB's type, to compare a cursor's text with the column. */
  readonly type: 'VARCHAR' | 'DOUBLE' | 'BIGINT' | 'INTEGER' | 'DATE' | 'TIMESTAMP';
  /** Whether records may lack it. */
  readonly isNullable: boolean;
}

export interface ListOrder {
  readonly table: string;
  readonly sort: SortKey;
}

export const SCORE_ORDERS = {
  value: {
    table: 'scores_by_value',
    sort: { column: 'value', isDescending: false, type: 'DOUBLE', isNullable: false },
  },
  '-value': {
    table: 'scores_by_value_down',
    sort: { column: 'value', isDescending: true, type: 'DOUBLE', isNullable: false },
  },
  '-measured_at': {
    table: 'scores_by_measured_at_down',
    sort: { column: 'measured_at', isDescending: true, type: 'DATE', isNullable: true },
  },
} as const satisfies Readonly<Record<string, ListOrder>>;

/** The order of a list, for ORDER BY. */
export function orderSql({ column, isDescending }: SortKey): string {
  return `${column} ${isDescending ? 'DESC' : 'ASC'} NULLS LAST, pos`;
}

/** The type of `source` in the tables of {@link SCORE_ORDERS}: an enumeration of all that there are, or text where they are too many. */
export const SCORE_SOURCE = 'score_source';

/** Sources up to which they are an enumeration: every query takes the longer the more they are, seconds for a million addresses. */
export const SCORE_SOURCES_MAX = 10_000;

/** Creates the tables of {@link SCORE_ORDERS} from the finished `scores`. */
export async function createScoreOrders(database: Database): Promise<void> {
  await database.run(`CREATE TYPE view.${SCORE_SOURCE} AS ${await sourceType(database)}`);
  // DuckDB finds a type by its bare name alone.
  await database.run(`SET search_path = 'view.main'`);
  for (const { table, sort } of Object.values(SCORE_ORDERS)) {
    await database.run(
      `CREATE TABLE view.${table} AS
       SELECT row_number() OVER ()::INTEGER AS place, * REPLACE (source::${SCORE_SOURCE} AS source)
       FROM (SELECT pos, benchmark_id, value, source, measured_at FROM view.scores ORDER BY ${orderSql(sort)})`,
    );
  }
  await database.run('RESET search_path');
}

async function sourceType(database: Database): Promise<string> {
  const [row] = await database.rows(
    { sources: number },
    'SELECT count(DISTINCT source)::DOUBLE AS sources FROM view.scores',
  );
  if ((row?.sources ?? 0) > SCORE_SOURCES_MAX) return 'VARCHAR';
  return 'ENUM (SELECT DISTINCT source FROM view.scores WHERE source IS NOT NULL ORDER BY source)';
}
