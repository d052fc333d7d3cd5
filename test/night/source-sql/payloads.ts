/** What a hostile `source.sql` may try. `$OUT` is a folder outside of the source, `$DAY` the day's own. */
export interface Payload {
  readonly title: string;
  /** The SELECT under `-- models`. */
  readonly sql: string;
  readonly says: RegExp;
  /** The `sql_timeout_seconds` of the source; longer than a busy machine needs, unless given. */
  readonly timeoutSeconds?: number;
  /** Only Linux tells how much memory a process takes. */
  readonly isOnLinuxOnly?: boolean;
}

const MODEL = "'a' AS id, 'A' AS name";
const OUTSIDE = /may not read ".*": only files of the day's folder/;
const TOO_MUCH_MEMORY = /takes more memory than 500MB \(MODELSTATS_MEMORY_LIMIT\) and 1 GiB besides/;
const TOO_LONG = /takes longer than 0\.5 seconds \(MODELSTATS_SOURCE_SQL_TIMEOUT_SECONDS, sql_timeout_seconds\)/;
const ONE_SELECT = /only SELECT is allowed|expected one SELECT, found 2 statements/;

export const PAYLOADS: readonly Payload[] = [
  {
    title: 'a COPY that hides behind nested comments',
    sql: `/* /* */ SELECT */ COPY (SELECT ${MODEL}) TO '$OUT/written.csv'`,
    says: ONE_SELECT,
  },
  {
    title: 'profiling into a file',
    sql: `SELECT ${MODEL} FROM enable_profiling(format = 'json', save_location = '$DAY/written.json')`,
    says: /the table function enable_profiling is not allowed/,
  },
  {
    title: 'logging into a folder',
    sql: `SELECT ${MODEL} FROM system.main.enable_logging(storage = 'file', storage_path = '$DAY/written')`,
    says: /the table function enable_logging is not allowed/,
  },
  {
    title: 'a foreign file as text',
    sql: `SELECT 'a' AS id, content AS name FROM read_text('$OUT/secret')`,
    says: OUTSIDE,
  },
  {
    title: 'a foreign file by ..',
    sql: `SELECT 'a' AS id, content AS name FROM read_blob('../../out/secret')`,
    says: OUTSIDE,
  },
  {
    title: 'a foreign file by a path that is put together',
    sql: `SELECT 'a' AS id, content AS name FROM read_text('$OUT' || '/secret')`,
    says: OUTSIDE,
  },
  {
    title: 'a foreign file in a list',
    sql: `SELECT 'a' AS id, content AS name FROM read_text(['models.jsonl', '$OUT/secret'])`,
    says: OUTSIDE,
  },
  {
    title: 'a foreign file as a table',
    sql: `SELECT 'a' AS id, column0 AS name FROM '$OUT/secret.csv'`,
    says: OUTSIDE,
  },
  {
    title: 'a foreign file in a subquery of an expression',
    sql: `SELECT 'a' AS id, (SELECT content FROM read_text('$OUT/secret')) AS name`,
    says: OUTSIDE,
  },
  {
    title: 'the environment of the process',
    sql: `SELECT 'a' AS id, content AS name FROM read_text('/proc/self/environ')`,
    says: OUTSIDE,
  },
  { title: 'a list of foreign files', sql: `SELECT file AS id, 'A' AS name FROM glob('$OUT/*')`, says: OUTSIDE },
  { title: 'a variable of the environment', sql: `SELECT getenv('HOME') AS id, 'A' AS name`, says: /getenv/ },
  { title: 'the network', sql: `SELECT ${MODEL} FROM read_csv('http://127.0.0.1:1/x.csv')`, says: OUTSIDE },
  { title: 'ATTACH', sql: `ATTACH '$DAY/written.db'`, says: ONE_SELECT },
  { title: 'INSTALL', sql: 'INSTALL httpfs', says: ONE_SELECT },
  { title: 'LOAD', sql: `LOAD '$DAY/x.duckdb_extension'`, says: ONE_SELECT },
  { title: 'PRAGMA', sql: 'PRAGMA version', says: ONE_SELECT },
  { title: 'SET', sql: "SET temp_directory = '/tmp'", says: ONE_SELECT },
  {
    title: 'another temporary folder in a second statement',
    sql: `SELECT ${MODEL}; SET temp_directory = '$OUT'`,
    says: ONE_SELECT,
  },
  {
    title: 'COPY of a table expression',
    sql: `COPY (WITH x AS (SELECT 1) FROM x) TO '$DAY/written.csv'`,
    says: ONE_SELECT,
  },
  { title: 'EXPORT', sql: `EXPORT DATABASE '$DAY/written'`, says: ONE_SELECT },
  { title: 'CREATE TABLE', sql: `CREATE TABLE x AS SELECT ${MODEL}`, says: ONE_SELECT },
  { title: 'CALL', sql: `CALL enable_logging(storage = 'file', storage_path = '$DAY/written')`, says: ONE_SELECT },
  { title: 'a secret', sql: `CREATE PERSISTENT SECRET (TYPE http, BEARER_TOKEN 'x')`, says: ONE_SELECT },
  {
    title: 'a list of secrets',
    sql: 'SELECT name AS id, secret_string AS name FROM duckdb_secrets()',
    says: /duckdb_secrets is not allowed/,
  },
  {
    title: 'SQL in a text',
    sql: `SELECT ${MODEL} FROM query('SELECT * FROM enable_logging()')`,
    says: /function query is not allowed/,
  },
  {
    title: 'a table by a text',
    sql: `SELECT ${MODEL} FROM query_table('pg_class')`,
    says: /query_table is not allowed/,
  },
  {
    title: 'serialized SQL',
    sql: `SELECT ${MODEL} FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))`,
    says: /json_execute_serialized_sql is not allowed/,
  },
  {
    title: "DuckDB's settings",
    sql: 'SELECT name AS id, value AS name FROM duckdb_settings()',
    says: /duckdb_settings is not allowed/,
  },
  {
    title: 'a table of the night',
    sql: 'SELECT id, name FROM previous_models',
    says: /previous_models does not exist/,
  },
  {
    title: 'rows without end',
    sql: `SELECT i::VARCHAR AS id, 'A' AS name FROM range(1000000000000) t(i)`,
    says: /gives more than 1000 rows/,
  },
  {
    title: 'a computation without end',
    sql: `SELECT count(*)::VARCHAR AS id, 'A' AS name FROM range(10000000) a, range(10000000) b WHERE a.range * b.range = 7`,
    says: TOO_LONG,
    timeoutSeconds: 0.5,
  },
  {
    title: 'a value without end in one call',
    sql: `SELECT levenshtein(repeat('a', 300000), repeat('b', 300000))::VARCHAR AS id, 'A' AS name`,
    says: TOO_LONG,
    timeoutSeconds: 0.5,
  },
  {
    title: 'a value without end in one call in a row',
    sql: `SELECT levenshtein(repeat('a', 300000 + i), repeat('b', 300000 + i))::VARCHAR AS id, 'A' AS name FROM range(3) t(i)`,
    says: TOO_LONG,
    timeoutSeconds: 0.5,
  },
  {
    title: 'a regular expression without end',
    sql: `SELECT i::VARCHAR AS id, regexp_extract(repeat('ab', 2000000 + i), '((a|b)+?){50}c') AS name FROM range(500) t(i)`,
    says: TOO_LONG,
    timeoutSeconds: 0.5,
  },
  {
    title: 'a recursion without end',
    sql: `WITH RECURSIVE t(i) AS (SELECT 1 UNION ALL SELECT (i + 1) % 7 FROM t) SELECT i::VARCHAR AS id, 'A' AS name FROM t`,
    says: /takes longer than 0\.5 seconds|gives more than 1000 rows/,
    timeoutSeconds: 0.5,
  },
  {
    title: 'one large value in every row of a block',
    sql: `SELECT i::VARCHAR AS id, repeat('x', 100000000) AS name FROM range(1000) t(i)`,
    says: TOO_MUCH_MEMORY,
    isOnLinuxOnly: true,
  },
  {
    title: 'a block of large values',
    sql: `SELECT i::VARCHAR AS id, repeat('x', 100000000 + i) AS name FROM range(1000) t(i)`,
    says: /takes more memory than (DuckDB may \(MODELSTATS_MEMORY_LIMIT\)|500MB \(MODELSTATS_MEMORY_LIMIT\))/,
    isOnLinuxOnly: true,
  },
  {
    title: 'a value that grows with every row',
    sql: `SELECT string_agg(repeat('x', 1000000 + i % 2), '') AS id, 'A' AS name FROM range(1000000) t(i)`,
    says: /takes more memory than (DuckDB may \(MODELSTATS_MEMORY_LIMIT\)|500MB \(MODELSTATS_MEMORY_LIMIT\))/,
    isOnLinuxOnly: true,
  },
  {
    title: 'one value larger than the memory',
    sql: `SELECT 'a' AS id, repeat(repeat('x', 1000000), 4000) AS name`,
    says: TOO_MUCH_MEMORY,
    isOnLinuxOnly: true,
  },
  {
    title: 'a setting',
    sql: `SELECT 'a' AS id, current_setting('temp_directory') AS name`,
    says: /line 2 .*: the function current_setting is not allowed/,
  },
  {
    title: 'a setting by a quoted function of a schema',
    sql: `SELECT 'a' AS id, list_transform(['temp_directory'],\n x -> pg_catalog."Current_Setting"(x))[1] AS name`,
    says: /line 3 .*: the function current_setting is not allowed/,
  },
  {
    title: 'a variable of the session',
    sql: `SELECT 'a' AS id, getvariable('x') AS name`,
    says: /the function getvariable is not allowed/,
  },
  {
    title: 'a setting in the plan of a text',
    sql: `SELECT 'a' AS id, json_serialize_plan('SELECT current_setting(''temp_directory'')', optimize := true) AS name`,
    says: /the function json_serialize_plan is not allowed/,
  },
  {
    title: 'the settings as a view',
    sql: 'SELECT name AS id, setting AS name FROM pg_catalog.pg_settings',
    says: /the table pg_catalog\.pg_settings is not allowed: a table is a file, its name in quotes, or a part of WITH/,
  },
  {
    title: 'the settings as a view behind a part of WITH',
    sql: `SELECT * FROM (WITH pg_settings AS (SELECT 1) SELECT ${MODEL}), (SELECT setting FROM "PG_Settings")`,
    says: /the table PG_Settings is not allowed/,
  },
  {
    title: 'the settings summarized',
    sql: 'SELECT column_name AS id, max AS name FROM (SUMMARIZE pg_settings)',
    says: /neither DESCRIBE, SHOW nor SUMMARIZE/,
  },
  {
    title: 'a view of databases',
    sql: 'SELECT * FROM pragma_database_list',
    says: /the table pragma_database_list is not allowed/,
  },
  {
    title: 'a function of databases',
    sql: `SELECT * FROM pragma_storage_info('x')`,
    says: /the table function pragma_storage_info is not allowed/,
  },
  {
    title: "DuckDB's own tables",
    sql: 'SELECT table_name AS id, table_catalog AS name FROM information_schema.tables',
    says: /the table information_schema\.tables is not allowed/,
  },
  {
    title: 'a PIVOT that makes a type',
    sql: `WITH rows AS (FROM 'models.jsonl')\nSELECT * FROM (PIVOT rows ON id USING max(name))`,
    says: /line 3 .*: only SELECT is allowed; a PIVOT has to name the values that become columns: PIVOT … ON column IN/,
  },
];
