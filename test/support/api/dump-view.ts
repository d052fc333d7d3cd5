import { tmpdir } from 'node:os';
import { Database, sqlText } from '../../../storage/duckdb/database.ts';
import { text } from '../../../storage/duckdb/row-shape.ts';
import { rawRows } from '../storage/raw-rows.ts';

/** Every row of every table of a view file, in the order in which they lie there, as JSON text. */
export async function dumpView(path: string): Promise<Readonly<Record<string, readonly string[]>>> {
  const database = await Database.open(':memory:', { memoryLimit: '300MB', threads: 1, tempFolder: tmpdir() });
  try {
    await database.run(`ATTACH ${sqlText(path)} AS view (READ_ONLY)`);
    const tables = await database.rows(
      { name: text },
      `SELECT table_name AS name FROM duckdb_tables() WHERE database_name = 'view'`,
    );
    const dumps: [string, readonly string[]][] = [];
    for (const { name } of tables) {
      const rows = await rawRows(database, `SELECT * FROM view.${name} ORDER BY rowid`);
      dumps.push([name, rows.map((row) => JSON.stringify(row))]);
    }
    return Object.fromEntries(dumps);
  } finally {
    database.close();
  }
}
