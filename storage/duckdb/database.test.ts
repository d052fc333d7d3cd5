import { copyFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { rawRows } from '../../test/support/storage/raw-rows.ts';
import { useFolder } from '../../test/support/temporary-folder.ts';
import { Database, sqlText } from './database.ts';

const folder = useFolder({ perTest: true });
let database: Database;

beforeEach(async () => {
  database = await Database.open(':memory:', { memoryLimit: '200MB', threads: 1, tempFolder: folder('spill') });
});
afterEach(async () => {
  database.close();
});

it('reads a file anew that was replaced under its name, even by one of the same size', async () => {
  const [path, old, changed] = [folder('state.parquet'), folder('old'), folder('changed')];
  const write = (to: string, columns: string) =>
    database.run(`COPY (SELECT ${columns} FROM range(15)) TO ${sqlText(to)} (FORMAT parquet, COMPRESSION zstd)`);
  await write(old, `'old' || range AS a, NULL::VARCHAR AS b, 'old' || range * 3 AS c, 'some text' AS d`);
  await write(changed, `'new' || range AS a, 'some text' AS b, 'new' || range * 3 AS c, NULL::VARCHAR AS d`);
  const read = async (file: string) => {
    await copyFile(file, path);
    return rawRows(database, 'SELECT * FROM read_parquet($1) ORDER BY a LIMIT 1', [path]);
  };
  expect(await read(old)).toEqual([{ a: 'old0', b: null, c: 'old0', d: 'some text' }]);
  expect(await read(changed)).toEqual([{ a: 'new0', b: 'some text', c: 'new0', d: null }]);
});
