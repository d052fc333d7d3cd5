/**
 * Run as a process of its own: `tsx bench/sync/read-files.ts SNAPSHOT FILE` reads the five files of a snapshot into tables like those
 * of a copy with DuckDB's own `read_json`, and nothing else. The tables are made by the copy's code.
 */
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { DuckDBCopy } from '../../client/sync/copies/duckdb-copy.ts';
import { columnsOf } from '../../client/sync/copies/tables.ts';
import { DATASET_NAMES } from '../../schemas/datasets.ts';
import { LIMITS } from './stage.ts';

const [snapshot = '', file = ''] = process.argv.slice(2);
const options = { memoryLimit: LIMITS.MODELSTATS_MEMORY_LIMIT, threads: Number(LIMITS.MODELSTATS_THREADS) };
await (await DuckDBCopy.open(file, options)).close();

const instance = await DuckDBInstance.create(file, {
  memory_limit: options.memoryLimit,
  threads: String(options.threads),
});
const connection = await instance.connect();
await connection.run('BEGIN');
for (const name of DATASET_NAMES) {
  const table = await connection.runAndReadAll(`DESCRIBE ${name}`);
  const types = table.getRowObjectsJS().map((row) => `${row['column_name']}: '${row['column_type']}'`);
  const read = `read_json('${join(snapshot, name)}.jsonl.gz', format = 'newline_delimited', columns = {${types.join(', ')}})`;
  const columns = columnsOf(name).map((column) => column.name);
  await connection.run(`INSERT INTO ${name} SELECT ${columns.join(', ')} FROM ${read}`);
}
await connection.run('COMMIT');
connection.closeSync();
instance.closeSync();
