/**
 * Scores sorted in advance, so that no page sorts all rows. One row per score: its `place` in the order, its `pos` in `scores`, and
 * the columns of filters, except the model, whose few scores are cheaper to sort than its ids to store. `source` is an enumeration,
 * which compares twice as fast as text.
 */
import type { Database } from '../../../storage/duckdb/database.ts';
import { number } from '../../../storage/duckdb/row-shape.ts';

/** Nulls come last in both directions; `pos`, the key's order, breaks ties. */
export interface SortKey {
  readonly column: string;
  readonly isDescending: boolean;
  /** DuckDB's type, for parsing a cursor's text. */
  readonly type: 'VARCHAR' | 'DOUBLE' | 'BIGINT' | 'INTEGER' | 'DATE' | 'TIMESTAMP';
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

/** For ORDER BY. */
export function orderSql({ column, isDescending }: SortKey): string {
  return `${column} ${isDescending ? 'DESC' : 'ASC'} NULLS LAST, pos`;
}

/** An enumeration, or text if there are too many values. */
export const SCORE_SOURCE = 'score_source';

/** An enumeration's size slows every query: seconds for a million values. */
export const SCORE_SOURCES_MAX = 10_000;

/** Requires the finished table `scores`. */
export async function createScoreOrders(database: Database): Promise<void> {
  await database.run(`CREATE TYPE view.${SCORE_SOURCE} AS ${await sourceType(database)}`);
  // DuckDB finds types only by their unqualified name.
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
