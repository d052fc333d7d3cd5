import type { Dataset } from '../../schemas/datasets.ts';
import { type Database, sqlText } from './database.ts';
import { DUCKDB_TYPES } from './record-sql.ts';
import { text } from './row-shape.ts';

/**
 * A SELECT of all rows of a state of a dataset, in their order, with all columns of the file. A column that came with a later version
 * of the records than the state is of is NULL (decision 0076).
 *
 * @param path of the local Parquet file
 * @param options of `read_parquet`, such as `file_row_number = true`
 */
export async function recordsSql(
  database: Database,
  { columns }: Dataset,
  path: string,
  ...options: readonly string[]
): Promise<string> {
  const read = `read_parquet(${[sqlText(path), ...options].join(', ')})`;
  const described = await database.rows({ column_name: text }, `SELECT column_name FROM (DESCRIBE FROM ${read})`);
  const missing = columns.filter(({ name }) => !described.some((column) => column.column_name === name));
  return `SELECT ${['*', ...missing.map(({ name, type }) => `NULL::${DUCKDB_TYPES[type]} AS ${name}`)].join(', ')} FROM ${read}`;
}
