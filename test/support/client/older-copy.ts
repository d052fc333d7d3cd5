import { DuckDBInstance } from '@duckdb/node-api';
import SqliteDatabase from 'better-sqlite3';
import { DATASETS, type DatasetName } from '../../../schemas/datasets.ts';

/** Makes of a copy in a file what a program had made that didn't know a column; a folder has lines as they came, and stays. */
export async function forgetColumn(into: string, column: string, datasets: readonly DatasetName[]): Promise<void> {
  if (into.endsWith('.sqlite')) {
    const database = new SqliteDatabase(into);
    for (const name of datasets) database.exec(`ALTER TABLE ${name} DROP COLUMN ${column}`);
    database.close();
  }
  if (!into.endsWith('.duckdb')) return;
  const instance = await DuckDBInstance.create(into);
  const connection = await instance.connect();
  for (const name of datasets) {
    // DuckDB drops no column of a table with a key.
    const reader = await connection.runAndReadAll(`SELECT column_name, column_type FROM (DESCRIBE ${name})`);
    const kept = reader.getRowsJS().filter(([known]) => known !== column);
    const definitions = kept.map(([known, type]) => `${known} ${type}`).join(', ');
    await connection.run(`CREATE TABLE older (${definitions}, PRIMARY KEY (${DATASETS[name].key.join(', ')}))`);
    await connection.run(`INSERT INTO older SELECT * EXCLUDE (${column}) FROM ${name}`);
    await connection.run(`DROP TABLE ${name}`);
    await connection.run(`ALTER TABLE older RENAME TO ${name}`);
  }
  connection.closeSync();
  instance.closeSync();
}
