import { crc32 } from 'node:zlib';
import type { DuckDBValue } from '@duckdb/node-api';
import SqliteDatabase from 'better-sqlite3';
import type { Database } from '../../../storage/duckdb/database.ts';
import { chunksOf } from './chunks.ts';

/** DuckDB, which reads releases, and the database of the view. */
export interface Writer {
  readonly duckdb: Database;
  readonly view: SqliteDatabase.Database;
}

/** Without a journal: a file that isn't finished is removed. Created if there is none. */
export function openForWriting(path: string): SqliteDatabase.Database {
  const view = new SqliteDatabase(path);
  view.pragma('page_size = 8192');
  view.unsafeMode(); // Else SQLite ignores the next line.
  view.pragma('journal_mode = OFF');
  view.pragma('synchronous = OFF');
  view.pragma('cache_size = -131072'); // KiB.
  return view;
}

interface Insertion {
  /** Up to its values, such as `INSERT INTO scores`. */
  readonly into: string;
  /** DuckDB query for the table's columns, in order. */
  readonly sql: string;
  readonly values?: readonly DuckDBValue[];
  /** First columns of every row, as SQL literals: faster than selecting them. */
  readonly before?: readonly string[];
  /** Text columns of the query whose CRC-32 is the table's last column; default: it has none. */
  readonly checked?: readonly number[];
}

/** `JOIN` of the ids of a kind, with their `number`. */
export function idSql(kind: string, column: string, alias: string): string {
  return `JOIN (SELECT id, number FROM ids WHERE kind = '${kind}') ${alias} ON ${alias}.id = ${column}`;
}

/** Copies the rows of a DuckDB query into the view. */
export async function insertRows(
  { duckdb, view }: Writer,
  { into, sql, values = [], before = [], checked }: Insertion,
): Promise<void> {
  const result = await duckdb.connection.stream(sql, [...values]);
  const width = result.columnCount + (checked === undefined ? 0 : 1);
  const places = `(${[...before, ...Array.from({ length: width }, () => '?')].join(', ')})`;
  const prepare = (rows: number) => view.prepare(`${into} VALUES ${Array(rows).fill(places).join(', ')}`);
  let insertBatch: SqliteDatabase.Statement | undefined;
  const batch: unknown[] = [];
  for await (const { columns, rowCount } of chunksOf(result)) {
    for (let at = 0; at < rowCount; at += 1) {
      const start = batch.length;
      for (const column of columns) batch.push(column[at]);
      if (checked !== undefined) {
        batch.push(checked.reduce((sum, place) => crc32(String(batch[start + place]), sum), 0));
      }
      if (batch.length < BATCH_ROWS * width) continue;
      insertBatch ??= prepare(BATCH_ROWS);
      insertBatch.run(...batch); // An array takes a third longer.
      batch.length = 0;
    }
  }
  if (batch.length > 0) prepare(batch.length / width).run(...batch);
}

/** Rows per statement; one by one takes half as long again. */
const BATCH_ROWS = 32;

/** SQL: days since 1970. */
export function dayNumberSql(date: string): string {
  return `(${date} - DATE '1970-01-01')::DOUBLE`;
}
