import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { sqlText } from '../../../storage/duckdb/database.ts';
import { openTemporaryStore } from '../../support/pipeline/temporary-store.ts';

const DAY = '2026-06-01';

/** A SELECT of one row for each table function that the specification allows. */
const SELECTS = [
  `SELECT id, name FROM read_csv('x.csv')`,
  `SELECT id, name FROM read_json('x.json')`,
  `SELECT id, name FROM read_parquet('x.parquet')`,
  `SELECT 'text' AS id, content AS name FROM read_text('x.txt')`,
  `SELECT 'blob' AS id, octet_length(content)::VARCHAR AS name FROM read_blob('x.txt')`,
  `SELECT 'glob' AS id, file AS name FROM glob('x.txt')`,
  `SELECT 'range' AS id, i::VARCHAR AS name FROM range(1) t(i)`,
  `SELECT 'series' AS id, i::VARCHAR AS name FROM generate_series(1, 1) t(i)`,
  `SELECT 'unnest' AS id, i AS name FROM unnest(['a']) t(i)`,
  `SELECT 'repeat' AS id, i AS name FROM repeat('a', 1) t(i)`,
  `SELECT 'row' AS id, i AS name FROM repeat_row('a', num_rows = 1) t(i)`,
  `SELECT 'each' AS id, key AS name FROM json_each('{"a": 1}')`,
  `SELECT 'tree' AS id, fullkey AS name FROM json_tree('1')`,
];

test('source.sql may call every table function that the specification allows', async () => {
  const store = await openTemporaryStore();
  onTestFinished(() => store.dispose());
  const source = await mkdtemp(join(tmpdir(), 'modelstats-functions-'));
  onTestFinished(() => rm(source, { recursive: true }));
  const day = join(source, DAY);
  await mkdir(day);
  await writeFile(join(day, 'x.csv'), 'id,name\ncsv,A\n');
  await writeFile(join(day, 'x.json'), '{"id":"json","name":"A"}\n');
  await writeFile(join(day, 'x.txt'), 'A');
  await store.reader.run(`COPY (SELECT 'parquet' AS id, 'A' AS name) TO ${sqlText(join(day, 'x.parquet'))}`);
  await writeFile(join(source, 'source.sql'), `-- models\n${SELECTS.join('\nUNION ALL BY NAME\n')}`);
  const records = { models: SELECTS.length };
  expect(await store.night(source, DAY)).toMatchObject({ status: 'published', problems: [], quarantined: 0, records });
});
