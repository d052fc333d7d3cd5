/** What a hostile `source.sql` may try. `$OUT` is a folder outside of the source, `$DAY` the day's own. */
export interface Payload {
  readonly title: string;
  /** The SELECT under `-- models`. */
  readonly sql: string;
  readonly says: RegExp;
}

const MODEL = "'a' AS id, 'A' AS name";
const OUTSIDE = /may not read ".*": only files of the day's folder/;
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
    says: /takes longer than 0\.5 seconds/,
  },
];
