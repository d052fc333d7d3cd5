import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { HISTORY_KINDS } from '../../../api/view/tables/history-kinds.ts';
import type { ViewMeta } from '../../../api/view/view-meta.ts';
import { Database, sqlText } from '../../../storage/duckdb/database.ts';
import { text } from '../../../storage/duckdb/row-shape.ts';
import { rawRows } from '../storage/raw-rows.ts';

/**
 * Every row of every table of a view file, in the order in which they lie there, as JSON text; and the lines of the texts beside it.
 * What the view says about itself is without where its texts lie, which depends on how they came about.
 */
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
    const { meta: says } = await database.row({ meta: text }, 'SELECT meta FROM view.meta');
    const { texts, ...meta } = JSON.parse(says) as ViewMeta; // Written by a build of this program.
    const { feed, histories } = texts;
    const read = async ({ file, bytes }: { readonly file: string; readonly bytes: number }, from = 0) =>
      (await readFile(join(dirname(path), file))).subarray(from, bytes).toString('utf8');
    for (const kind of HISTORY_KINDS) dumps.push([`${kind} as text`, (await read(histories[kind])).split('\n')]);
    dumps.push(['events as text', (await read(feed, feed.from)).split(/(?<=\},)(?=\{"seq":)/)]);
    return { ...Object.fromEntries(dumps), meta: [JSON.stringify(meta)] };
  } finally {
    database.close();
  }
}
