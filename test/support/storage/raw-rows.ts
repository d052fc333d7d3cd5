import type { DuckDBValue } from '@duckdb/node-api';
import type { Database } from '../../../storage/duckdb/database.ts';
import type { RawRow } from '../../../storage/duckdb/row-shape.ts';

/** A query's rows as DuckDB's JSON form has them, for tests that compare whole rows of any shape. */
export async function rawRows(
  database: Database,
  sql: string,
  parameters: readonly DuckDBValue[] = [],
): Promise<readonly RawRow[]> {
  const reader = await database.connection.runAndReadAll(sql, [...parameters]);
  return reader.getRowObjectsJson();
}
