import { crc32 } from 'node:zlib';
import type { DuckDBValue } from '@duckdb/node-api';
import SqliteDatabase from 'better-sqlite3';
import type { Database } from '../../../storage/duckdb/database.ts';

/** What a view is written with: DuckDB, which reads the files of releases, and the view's database. */
export interface Writer {
  readonly duckdb: Database;
  readonly view: SqliteDatabase.Database;
}

/** Opens a view for writing, with the SQL function `crc32(text)`; the file is created where there is none. */
export function openForWriting(path: string): SqliteDatabase.Database {
  const view = new SqliteDatabase(path);
  view.pragma('page_size = 8192');
  view.pragma('journal_mode = WAL');
  view.pragma('synchronous = NORMAL');
  view.pragma('cache_size = -65536');
  view.function('crc32', { deterministic: true }, (text) => crc32(String(text)));
  return view;
}

export interface Query {
  readonly sql: string;
  readonly values?: readonly DuckDBValue[];
}

/** Runs an INSERT of the view for each row of a DuckDB query; `?1` is its first column. Resolves to the number of rows. */
export async function insertRows({ duckdb, view }: Writer, insert: string, { sql, values = [] }: Query): Promise<number> {
  const statement = view.prepare(insert);
  const result = await duckdb.connection.stream(sql, [...values]);
  let rows = 0;
  for (;;) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) return rows;
    const columns = chunk.getColumns();
    const places = columns.map((_, place) => String(place + 1));
    for (let row = 0; row < chunk.rowCount; row += 1) {
      statement.run(Object.fromEntries(places.map((name, place) => [name, columns[place]?.[row]])));
    }
    rows += chunk.rowCount;
  }
}
