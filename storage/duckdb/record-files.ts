import { listValue } from '@duckdb/node-api';
import type { Dataset } from '../../schemas/datasets.ts';
import { type Database, sqlText } from './database.ts';
import { DUCKDB_TYPES } from './record-sql.ts';
import { number, text } from './row-shape.ts';

/**
 * A SELECT of all rows of Parquet files of a dataset's records, such as states or intervals, in their order, with all columns of the
 * files. A column that came with a later version of the records is NULL for the files that were written without it.
 *
 * @param paths local files, one at least
 * @param options of `read_parquet`, such as `file_row_number = true`
 */
export async function recordsSql(
  database: Database,
  dataset: Dataset,
  paths: readonly string[],
  options: readonly string[] = [],
): Promise<string> {
  const found = await database.rows(
    { name: text, files: number },
    'SELECT name, count(DISTINCT file_name)::DOUBLE AS files FROM parquet_schema($1) GROUP BY name',
    [listValue([...paths])],
  );
  const filesOf = new Map(found.map(({ name, files }) => [name, files]));
  const missing = dataset.columns.filter(({ name }) => !filesOf.has(name));
  const isMixed = dataset.columns.some(({ name }) => (filesOf.get(name) ?? paths.length) < paths.length);
  const list = `[${paths.map(sqlText).join(', ')}]`;
  const read = `read_parquet(${[list, ...options, ...(isMixed ? ['union_by_name = true'] : [])].join(', ')})`;
  const nulls = missing.map(({ name, type }) => `NULL::${DUCKDB_TYPES[type]} AS ${name}`);
  return `SELECT ${['*', ...nulls].join(', ')} FROM ${read}`;
}
