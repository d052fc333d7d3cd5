/** What a `source.sql` may try, and what it may not: run by DuckDB within the sandbox, and in nights where the process matters. */
import { mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { sqlText } from '../../../storage/duckdb/database.ts';
import { listReleases, listUntidyRuns, readRecords } from '../../support/pipeline/published.ts';
import { openSandbox } from '../../support/pipeline/run-select.ts';
import { openTemporaryStore } from '../../support/pipeline/temporary-store.ts';
import { sourceOf, useStore } from '../../support/pipeline/use-store.ts';

/** Each night starts a process: a busy machine takes its time. */
vi.setConfig({ testTimeout: 120_000 });

const DAY = '2026-06-01';
const SECRET = 'a foreign secret';
const MODEL = "'a' AS id, 'A' AS name";

describe('within the sandbox', () => {
  let [root, day] = ['', ''];
  let run: Awaited<ReturnType<typeof openSandbox>>;
  beforeAll(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), 'modelstats-hostile-')));
    day = join(root, 'source', DAY);
    for (const name of ['out', `source/${DAY}/sub`, `source/${DAY}/own`])
      await mkdir(join(root, name), { recursive: true });
    for (const name of ['secret', 'secret.csv']) await writeFile(join(root, 'out', name), `${SECRET}\n`);
    await writeFile(join(day, 'models.jsonl'), '{"id":"a","name":"A"}\n');
    await writeFile(join(day, 'package.json'), '{"id":"p","name":"not of the working directory"}');
    await writeFile(join(day, 'sub/b.csv'), 'id,name\nb,B\n');
    await writeFile(join(day, 'own/ä.csv'), 'id,name\nc,C\n');
    await symlink('own', join(day, 'linked'));
    run = await openSandbox(day);
  });
  afterAll(() => rm(root, { recursive: true }));

  /** The rows of a SELECT, whose `$OUT` is a folder outside of the source and `$DAY` the day's own. */
  const rowsOf = (sql: string) => run(sql.replaceAll('$OUT', join(root, 'out')).replaceAll('$DAY', day));

  const namesOf = async (sql: string) => (await rowsOf(sql)).rows?.map((row) => [row].flat().join(' ')).sort();

  async function expectRefused(sql: string, says: RegExp): Promise<void> {
    const before = (await readdir(root, { recursive: true })).sort();
    const refusal: unknown = await rowsOf(sql).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 'source_rejected', message: expect.stringMatching(says) });
    expect(refusal).toMatchObject({ message: expect.stringMatching(/^source\.sql line \d+ \(models\): /) });
    expect(String(refusal)).not.toContain(SECRET);
    expect((await readdir(root, { recursive: true })).sort()).toEqual(before);
  }

  test.each([
    `/* /* */ SELECT */ COPY (SELECT ${MODEL}) TO '$OUT/written.csv'`,
    `COPY (WITH x AS (SELECT 1) FROM x) TO '$DAY/written.csv'`,
    `SELECT ${MODEL}; SET temp_directory = '$OUT'`,
    "SELECT * FROM read_csv('gone.csv'); SELECT * FROM read_csv('none.csv')",
    `ATTACH '$DAY/written.db'`,
    'INSTALL httpfs',
    `LOAD '$DAY/x.duckdb_extension'`,
    'PRAGMA version',
    "SET temp_directory = '/tmp'",
    `EXPORT DATABASE '$DAY/written'`,
    `CREATE TABLE x AS SELECT ${MODEL}`,
    `CALL enable_logging(storage = 'file', storage_path = '$DAY/written')`,
    `CREATE PERSISTENT SECRET (TYPE http, BEARER_TOKEN 'x')`,
  ])('another statement than one SELECT is refused: %s', async (sql) => {
    await expectRefused(sql, /only SELECT is allowed|expected one SELECT, found 2 statements/);
  });

  test.each([
    `SELECT 'a' AS id, content AS name FROM read_text('$OUT/secret')`,
    `SELECT 'a' AS id, content AS name FROM read_blob('../../out/secret')`,
    `SELECT 'a' AS id, content AS name FROM read_text('$OUT' || '/secret')`,
    `SELECT 'a' AS id, content AS name FROM read_text(['models.jsonl', '$OUT/secret'])`,
    `SELECT 'a' AS id, column0 AS name FROM '$OUT/secret.csv'`,
    `SELECT 'a' AS id, (SELECT content FROM read_text('$OUT/secret')) AS name`,
    `SELECT 'a' AS id, content AS name FROM read_text('/proc/self/environ')`,
    `SELECT file AS id, 'A' AS name FROM glob('$OUT/*')`,
    `SELECT ${MODEL} FROM read_csv('http://127.0.0.1:1/x.csv')`,
  ])('a file outside of the day is not read: %s', async (sql) => {
    await expectRefused(sql, /may not read ".*": only files of the day's folder/);
  });

  test.each([
    ['enable_profiling', `SELECT ${MODEL} FROM enable_profiling(format = 'json', save_location = '$DAY/written.json')`],
    ['enable_logging', `SELECT ${MODEL} FROM system.main.enable_logging(storage = 'file', storage_path = '$DAY/x')`],
    ['duckdb_secrets', 'SELECT name AS id, secret_string AS name FROM duckdb_secrets()'],
    ['query', `SELECT ${MODEL} FROM query('SELECT * FROM enable_logging()')`],
    ['query_table', `SELECT ${MODEL} FROM query_table('pg_class')`],
    ['json_execute_serialized_sql', `FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))`],
    ['duckdb_settings', 'SELECT name AS id, value AS name FROM duckdb_settings()'],
    ['current_setting', `SELECT 'a' AS id, current_setting('temp_directory') AS name`],
    ['current_setting', `SELECT list_transform(['temp_directory'],\n x -> pg_catalog."Current_Setting"(x))[1] AS name`],
    ['getvariable', `SELECT 'a' AS id, getvariable('x') AS name`],
    ['getenv', `SELECT getenv('HOME') AS id, 'A' AS name`],
    ['json_serialize_plan', `SELECT json_serialize_plan('SELECT current_setting(''x'')', optimize := true) AS name`],
    ['pragma_storage_info', `SELECT * FROM pragma_storage_info('x')`],
  ])('a function is not allowed: %s', async (name, sql) => {
    await expectRefused(sql, new RegExp(`function ${name} is not allowed|${name}.*does not exist`));
  });

  test.each([
    [
      /pg_catalog\.pg_settings is not allowed: a table is a file, its name in quotes, or a part of WITH/,
      'pg_catalog.pg_settings',
    ],
    [
      /the table PG_Settings is not allowed/,
      `(WITH pg_settings AS (SELECT 1) SELECT ${MODEL}), (SELECT setting FROM "PG_Settings")`,
    ],
    [/neither DESCRIBE, SHOW nor SUMMARIZE/, '(SUMMARIZE pg_settings)'],
    [/the table pragma_database_list is not allowed/, 'pragma_database_list'],
    [/the table information_schema\.tables is not allowed/, 'information_schema.tables'],
    [/previous_models does not exist/, 'previous_models'],
    [
      /line 2 .*: only SELECT is allowed; a PIVOT has to name the values that become columns: PIVOT … ON column IN/,
      `(PIVOT 'models.jsonl' ON id USING max(name))`,
    ],
  ])('a table that is no file is refused, and why is said: %s', async (says, from) => {
    await expectRefused(`SELECT * FROM ${from}`, says);
  });

  test('files are found by every way of writing their paths down, in the day and not in the working directory', async () => {
    const selects = [
      `SELECT id, name FROM read_json('package.json') -- ä '`,
      `SELECT id, name FROM 'models.jsonl'`,
      `SELECT b.id, name FROM "sub/b.csv" AS b`,
      `SELECT id, name FROM read_csv(['linked/ä.csv'], header = true)`,
      `SELECT 'd' AS id, string_agg(name) AS name FROM read_csv($$s*/*.csv$$, header = true)`,
      `SELECT 'e' AS id, count(*)::VARCHAR AS name FROM glob('$DAY/*.json*')`,
    ];
    const found = ['a A', 'b B', 'c C', 'd B', 'e 2', 'p not of the working directory'];
    expect(await namesOf(selects.join('\nUNION ALL BY NAME\n'))).toEqual(found);
  });

  test('parts of WITH are tables, whatever their names, and a PIVOT may name its values', async () => {
    const select = `WITH tables AS (FROM read_json('models.jsonl')), columns(id, name) AS (SELECT 'b', 'B'),
      facts AS (SELECT 'c' AS id, unnest(['name', 'x']) AS fact, unnest(['C', 'y']) AS value)
      SELECT id, name FROM tables UNION ALL FROM columns
      UNION ALL BY NAME (FROM (PIVOT facts ON fact IN ('name') USING max(value)))`;
    expect(await namesOf(select)).toEqual(['a A', 'b B', 'c C']);
  });

  test.each([
    ['a comment after the last word', `SELECT ${MODEL} -- the only one`],
    ['a comment after the semicolon', `SELECT ${MODEL}; -- the only one`],
    ['two semicolons', `SELECT ${MODEL};\n;`],
    ['text that looks like comments', `SELECT ${MODEL}, '/*' AS organization, ['*/', '--;'] AS inference`],
    ['a table expression with a quoted name', `WITH "a b" AS (SELECT ${MODEL}) SELECT * FROM "a b"`],
    ['a comment before the SELECT', `/* SELECT; */ -- one row\nSELECT ${MODEL}`],
    ['a COPY in a comment within a comment', `SELECT ${MODEL} /* /* */ ); COPY (SELECT 1) TO '$OUT/written.csv' -- */`],
  ])('a SELECT may have %s', async (_, sql) => {
    expect((await rowsOf(sql)).rows).toHaveLength(1);
    expect(await readdir(join(root, 'out'))).toEqual(['secret', 'secret.csv']);
  });

  test('source.sql may call every table function that the specification allows', async () => {
    const store = await openTemporaryStore();
    await writeFile(join(day, 'own/x.csv'), 'id,name\ncsv,A\n');
    await writeFile(join(day, 'own/x.json'), '{"id":"json","name":"A"}\n');
    await store.reader.run(`COPY (SELECT 'parquet' AS id, 'A' AS name) TO ${sqlText(join(day, 'own/x.parquet'))}`);
    await store.dispose();
    const selects = [
      `SELECT id, name FROM read_csv('own/x.csv')`,
      `SELECT id, name FROM read_json('own/x.json')`,
      `SELECT id, name FROM read_parquet('own/x.parquet')`,
      `SELECT 'text' AS id, content AS name FROM read_text('own/x.csv')`,
      `SELECT 'blob' AS id, octet_length(content)::VARCHAR AS name FROM read_blob('own/x.csv')`,
      `SELECT 'glob' AS id, file AS name FROM glob('own/x.csv')`,
      `SELECT 'range' AS id, i::VARCHAR AS name FROM range(1) t(i)`,
      `SELECT 'series' AS id, i::VARCHAR AS name FROM generate_series(1, 1) t(i)`,
      `SELECT 'unnest' AS id, i AS name FROM unnest(['a']) t(i)`,
      `SELECT 'repeat' AS id, i AS name FROM repeat('a', 1) t(i)`,
      `SELECT 'row' AS id, i AS name FROM repeat_row('a', num_rows = 1) t(i)`,
      `SELECT 'each' AS id, key AS name FROM json_each('{"a": 1}')`,
      `SELECT 'tree' AS id, fullkey AS name FROM json_tree('1')`,
    ];
    expect((await rowsOf(selects.join('\nUNION ALL BY NAME\n'))).rows).toHaveLength(selects.length);
  });
});

const store = useStore();
const source = sourceOf(store);

const TOO_LONG = /takes longer than 0\.5 seconds \(MODELSTATS_SOURCE_SQL_TIMEOUT_SECONDS, sql_timeout_seconds\)/;
test.each([
  { title: 'another statement', sql: `COPY (SELECT ${MODEL}) TO 'written.csv'`, says: /only SELECT is allowed/ },
  {
    title: 'rows without end',
    sql: `SELECT i::VARCHAR AS id, 'A' AS name FROM range(1000000000000) t(i)`,
    says: /gives more than 1000 rows/,
  },
  {
    title: 'a computation without end',
    sql: `SELECT count(*)::VARCHAR AS id, 'A' AS name FROM range(10000000) a, range(10000000) b WHERE a.range * b.range = 7`,
    says: TOO_LONG,
  },
])('$title: the night is rejected, names the statement, and nothing is written', async ({ sql, says }) => {
  await source.write(`${DAY}/models.jsonl`, [{ id: 'a', name: 'A' }]);
  await source.write('source.sql', `-- models\n${sql}`);
  await source.write('source.json', JSON.stringify({ sql_timeout_seconds: 0.5, max_rows: 1000 }));
  const before = await readdir(source.path(), { recursive: true });
  const { status, problems } = await source.night(DAY);
  expect({ status, problems }).toEqual({ status: 'rejected', problems: [expect.stringMatching(says)] });
  expect(problems[0]).toMatch(/source\.sql line \d+ \(models\): /);
  expect(await readdir(source.path(), { recursive: true })).toEqual(before);
  expect(await listReleases(store)).toEqual([]);
  expect(await listUntidyRuns(store)).toEqual([]);
});

test('a link in the day that leads outside rejects the night, whatever name it has', async () => {
  await source.write('source.sql', `-- models\nSELECT 'a' AS id, content AS name FROM read_text('inside/secret')`);
  await mkdir(source.path(DAY));
  await symlink(tmpdir(), source.path(`${DAY}/inside`));
  const { status, problems } = await source.night(DAY);
  expect([status, ...problems]).toEqual(['rejected', expect.stringMatching(/inside: links outside the source/)]);
});

test('of a day behind a link too, values leave the database as their text, lists as JSON, and every number as it is', async () => {
  const values = [2 ** 81, 2 ** 91, 2 ** 805, 1e-7, 0.1, -0, 100, 1e21, 5e-324];
  const rows = values.map((value, index) => `('b${index + 1}', ${value})`).join(', ');
  const sql = `-- models
    SELECT id::ENUM('A', 'a') AS id, uuid()::UUID AS name, 12::UTINYINT AS context_length, DATE '2026-01-02' AS release_date,
      ['q', 'p'] AS inference, NULL AS organization, now() AS updated_at FROM read_json('models.jsonl');
-- benchmarks
    SELECT 'b' || range AS id, 'B' AS name FROM range(1, ${values.length + 1});
-- scores
    SELECT 'a' AS model_id, id AS benchmark_id, value::DOUBLE AS value FROM (VALUES ${rows}) t(id, value);`;
  await source.write('source.sql', sql);
  await source.write('newest/models.jsonl', [{ id: 'a' }]);
  await symlink('newest', source.path(DAY));
  expect(await source.night(DAY)).toMatchObject({ status: 'published', quarantined: 0 });
  const record = { id: 'a', context_length: 12, release_date: '2026-01-02', inference: ['p', 'q'], organization: null };
  expect(await readRecords(store, 'models')).toMatchObject([record]);
  expect((await readRecords(store, 'scores')).map(({ value }) => value)).toEqual(values.map((value) => value + 0));
});
