/** What SELECTs find in the place of files that no fetch has ever brought, or whose upstream is off; run by DuckDB, within the sandbox. */
import { mkdir, writeFile } from 'node:fs/promises';
import { beforeEach, expect, test } from 'vitest';
import type { AbsentFile } from '../../../pipeline/night/capture/sql/messages.ts';
import { openSandbox } from '../../support/pipeline/run-select.ts';
import { useFolder } from '../../support/temporary-folder.ts';

const folder = useFolder({ perTest: true });
beforeEach(async () => {
  await mkdir(folder('boards'));
  await writeFile(folder('here.csv'), 'a,b\n1,x\n');
  await writeFile(folder('boards/text.csv'), 'a,b\n2,y\n');
});

const ABSENT: readonly AbsentFile[] = [
  { file: 'gone.json', folder: null, columns: {} },
  { file: 'gone.csv', folder: null, columns: { a: 'BIGINT', 'b c': 'VARCHAR[]' } },
  { file: 'boards/vision.csv', folder: null, columns: {} },
  { file: 'gone.zip', folder: 'zip', columns: { a: 'BIGINT' } },
];

/** The rows of a SELECT, and its columns; or the file that is missing. */
const run = async (sql: string, absent = ABSENT) => (await openSandbox(folder(), absent))(sql);

test.each([
  [`SELECT content::JSON->>'x' AS x FROM read_text('gone.json')`, ['x']],
  [`SELECT read_text.content FROM read_text('gone.json')`, ['content']],
  [`SELECT json FROM read_json_objects('gone.json', format = 'unstructured') AS t`, ['json']],
  [
    `SELECT id, filename FROM read_json('gone.json', columns = {id: 'VARCHAR', "a b": 'JSON[]'}, filename = true)`,
    ['id', 'filename'],
  ],
  [`SELECT id FROM read_json('gone.json', columns := {'id': 'VARCHAR'})`, ['id']],
  [`SELECT a + 1 AS a, t."b c"[1] AS b FROM read_csv('gone.csv', delim = ')', quote = '"') AS t /* ) */`, ['a', 'b']],
  [`SELECT gone.a FROM 'gone.csv'`, ['a']],
  [`SELECT t.a FROM 'gone.csv' AS t`, ['a']],
  [
    `SELECT (to_json(cells)::MAP(VARCHAR, VARCHAR))['z'] AS z FROM read_csv('zip/*.csv', union_by_name = true) AS cells`,
    ['z'],
  ],
  [`SELECT a FROM read_csv(['gone.csv', 'zip/one.csv']) -- )`, ['a']],
  [`SELECT t.a FROM './gone.csv' AS t JOIN read_csv(['./zip/../gone.csv']) USING (a)`, ['a']],
])('%s gives its columns, and no rows', async (sql, names) => {
  expect(await run(sql)).toEqual({ rows: [], names });
});

test('of a list, or a pattern, the files that are there are read', async () => {
  const rowsOf = async (files: string) => (await run(`SELECT a || b FROM read_csv(${files})`)).rows?.flat();
  expect(await rowsOf(`['gone.csv', 'here.csv', 'boards/vision.csv', 'boards/text.csv']`)).toEqual(['1x', '2y']);
  expect(await rowsOf(`'boards/*.csv'`)).toEqual(['2y']);
});

test('a file that no fetch has brought, but that was put there by hand, is read by a pattern', async () => {
  await writeFile(folder('boards/vision.csv'), 'a,b\n3,z\n');
  expect((await run(`SELECT a || b FROM read_csv('boards/*.csv') ORDER BY 1`)).rows?.flat()).toEqual(['2y', '3z']);
});

test('rows of others stay beside it, and lines of messages are those of the file', async () => {
  const sql = `SELECT a FROM read_csv('here.csv') UNION ALL\nSELECT a FROM read_csv('gone.csv',\n  header = true)`;
  expect(await run(sql)).toEqual({ rows: [[1n]], names: ['a'] });
  await expect(run(`${sql}\nWHERE nothing > 1`)).rejects.toThrow(/source\.sql line 5/);
});

test('a file that only should be there, or whose columns nobody says, is missing', async () => {
  expect(await run(`SELECT * FROM read_csv('none.csv')`)).toEqual({ missing: 'none.csv' });
  expect(await run(`SELECT * FROM read_parquet('gone.json')`)).toEqual({ missing: 'gone.json' });
  expect(await run(`SELECT * FROM read_csv('gone.csv')`, [])).toEqual({ missing: 'gone.csv' });
});

test('what stands in for a file is judged like all that a source writes', async () => {
  const hostile = { file: 'gone.csv', folder: null, columns: { a: `VARCHAR) AS a FROM enable_logging() --` } };
  await expect(run(`SELECT a FROM read_csv('gone.csv')`, [hostile])).rejects.toThrow();
});

/** Files of an upstream that is off, which the day has. */
const OFF: readonly AbsentFile[] = [
  { file: 'here.csv', folder: null, columns: { a: 'BIGINT' }, off: 'mall' },
  { file: 'all.zip', folder: 'boards', columns: { a: 'BIGINT' }, off: 'mall' },
];

test.each(["'here.csv'", `read_csv('boards/*.csv')`, `read_csv(['here.csv', 'boards/text.csv'])`, `read_csv('*.csv')`])(
  '%s of an upstream that is off gives no rows, though the day has the file',
  async (files) => {
    expect(await run(`SELECT a FROM ${files}`, OFF)).toEqual({ rows: [], names: ['a'] });
  },
);

test('a file of an upstream that is off is never read: unknown columns and a pattern that others match too are refused', async () => {
  const unknown = [{ file: 'here.csv', folder: null, columns: {}, off: 'mall' }];
  for (const files of ["'here.csv'", `read_csv('here.csv')`, `read_csv('here*')`]) {
    await expect(run(`SELECT a FROM ${files}`, unknown)).rejects.toThrow(
      "reads here.csv of mall, which is off: list the file's columns in source.json",
    );
  }
  await writeFile(folder('hers.csv'), 'a,b\n3,z\n');
  await expect(run(`SELECT a FROM read_csv('her*.csv')`, OFF)).rejects.toThrow(
    'reads her*.csv, which also matches files of mall, which is off: name the files one by one',
  );
});
