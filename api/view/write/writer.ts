import { crc32 } from 'node:zlib';
import type { DuckDBValue } from '@duckdb/node-api';
import SqliteDatabase from 'better-sqlite3';
import type { Database } from '../../../storage/duckdb/database.ts';

/** What a view is written with: DuckDB, which reads the files of releases, and the view's database. */
export interface Writer {
  readonly duckdb: Database;
  readonly view: SqliteDatabase.Database;
}

/** Opens a view for writing, which nobody reads before it is finished; the file is created where there is none. */
export function openForWriting(path: string): SqliteDatabase.Database {
  const view = new SqliteDatabase(path);
  view.pragma('page_size = 8192');
  view.pragma('journal_mode = OFF');
  view.pragma('synchronous = OFF');
  view.pragma('cache_size = -65536');
  return view;
}

interface Insertion {
  /** `INSERT … VALUES (…)` without its places, such as `INSERT INTO scores`. */
  readonly into: string;
  /** A query of DuckDB whose columns are those of the table, in order. */
  readonly sql: string;
  readonly values?: readonly DuckDBValue[];
  /** The places of text columns whose CRC-32 is the table's last column; undefined: it has none. */
  readonly checked?: readonly number[];
}

/** `JOIN` of the ids of a kind, with their `number`. */
export function idSql(kind: string, column: string, alias: string): string {
  return `JOIN (SELECT id, number FROM ids WHERE kind = '${kind}') ${alias} ON ${alias}.id = ${column}`;
}

/** The CRC-32 of texts, one behind the other. */
export function checkOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => crc32(text, sum), 0);
}

/** Copies the rows of a DuckDB query into the view; resolves to their number. */
export async function insertRows({ duckdb, view }: Writer, { into, sql, values = [], checked }: Insertion): Promise<number> {
  const result = await duckdb.connection.stream(sql, [...values]);
  const width = result.columnCount + (checked === undefined ? 0 : 1);
  const statement = view.prepare(`${into} VALUES (${Array.from({ length: width }, () => '?').join(', ')})`);
  const row: unknown[] = new Array(width);
  let rows = 0;
  for (;;) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) return rows;
    const columns = chunk.getColumns();
    for (let at = 0; at < chunk.rowCount; at += 1) {
      for (const [place, column] of columns.entries()) row[place] = column[at];
      if (checked !== undefined) row[width - 1] = checkOf(checked.map((place) => String(row[place])));
      statement.run(row);
    }
    rows += chunk.rowCount;
  }
}
