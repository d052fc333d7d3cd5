import type { DuckDBValue } from '@duckdb/node-api';
import { AppError } from '../../../runtime/errors.ts';
import type { Dataset } from '../../../schemas/datasets.ts';
import { type Database, sqlName, sqlText } from '../../../storage/duckdb/database.ts';
import { doubleTextSql } from '../../../storage/duckdb/record-sql.ts';
import { text } from '../../../storage/duckdb/row-shape.ts';
import type { DatasetSource } from '../../source/open-source.ts';
import { readStart } from '../../source/source-folder.ts';
import { type ComparedColumns, compareColumns } from './columns.ts';

/** A SELECT of every captured column as text, in file order. */
export interface Relation extends ComparedColumns {
  readonly sql: string;
  readonly parameters: readonly DuckDBValue[];
  /** The attached database with the rows; the last reader detaches it. */
  readonly staged?: {
    readonly name: string;
    readonly bytes: number;
    /** Text that names a row's upstreams; undefined without such a column. */
    readonly upstreamSql: string | undefined;
  };
}

/** First bytes of a JSON file that are searched for column names. */
const SAMPLE_BYTES = 1 << 20;

/** `path` is the plain file, unpacked where necessary. */
export async function relationFromFile(
  database: Database,
  dataset: Dataset,
  file: DatasetSource,
  options: { readonly path: string; readonly lineBytesMax: number },
): Promise<Relation> {
  const { path, lineBytesMax } = options;
  switch (file.format) {
    case 'jsonl':
      return jsonRelation(dataset, path, `format = 'newline_delimited', maximum_object_size = ${lineBytesMax}`);
    case 'json':
      await assertArray(file.name, path);
      return jsonRelation(dataset, path, `format = 'array', maximum_object_size = ${lineBytesMax}`);
    case 'csv':
      return csvRelation(dataset, file.name, options);
    case 'parquet':
      return relationFromQuery(database, dataset, `FROM read_parquet(${sqlText(path)})`);
  }
}

/** Lists become JSON text. */
async function relationFromQuery(database: Database, dataset: Dataset, query: string): Promise<Relation> {
  const columns = await database.rows(
    { column_name: text, column_type: text },
    `SELECT column_name, column_type FROM (DESCRIBE ${query})`,
  );
  const types = new Map(columns.map((row) => [row.column_name, row.column_type]));
  const selected = dataset.columns.map(({ name }) => {
    const type = types.get(name);
    return textColumnSql(name, type === undefined ? undefined : { sql: name, type });
  });
  return {
    sql: `SELECT ${selected.join(', ')} FROM (${query})`,
    parameters: [],
    ...compareColumns(dataset, [...types.keys()]),
  };
}

/** NULL where the source lacks the column. */
export function textColumnSql(
  name: string,
  column: { readonly sql: string; readonly type: string } | undefined,
): string {
  return `${column === undefined ? 'CAST(NULL AS VARCHAR)' : textSql(column)} AS ${name}`;
}

export function textSql({ sql, type }: { readonly sql: string; readonly type: string }): string {
  if (type === 'DOUBLE') return doubleTextSql(sql);
  const isNested = type.endsWith(']') || type.startsWith('STRUCT') || type.startsWith('MAP');
  return `CAST(${isNested ? `to_json(${sql})` : sql} AS VARCHAR)`;
}

/** A row's upstreams, in their order, from a text with commas or a JSON list. */
export function upstreamIdsSql(named: string): string {
  const parts = `list_transform(regexp_split_to_array(${named}, '[][",]+'), lambda one: trim(one))`;
  return `list_filter(${parts}, lambda one: one <> '')`;
}

async function jsonRelation(dataset: Dataset, path: string, format: string): Promise<Relation> {
  const columns = dataset.columns.map(({ name }) => `${name}: 'VARCHAR'`).join(', ');
  return {
    sql: `SELECT * FROM read_json($1, columns = {${columns}}, ${format})`,
    parameters: [path],
    ...compareColumns(dataset, await sampleJsonColumns(path)),
  };
}

/** @param name of the file, for messages */
async function csvRelation(
  dataset: Dataset,
  name: string,
  { path, lineBytesMax }: { readonly path: string; readonly lineBytesMax: number },
): Promise<Relation> {
  const line = (await readSample(path)).split(/\r?\n/, 1)[0] ?? '';
  const delimiter = delimiterOf(name, line);
  const header = csvHeader(line, { dataset, name, delimiter });
  const columns = header.map((column) => `${sqlText(column)}: 'VARCHAR'`).join(', ');
  const selected = dataset.columns.map((column) =>
    header.includes(column.name) ? sqlName(column.name) : `CAST(NULL AS VARCHAR) AS ${column.name}`,
  );
  const read =
    header.length === 0
      ? `(SELECT ${dataset.columns.map((column) => `NULL AS ${column.name}`).join(', ')} WHERE false AND $1 = '')`
      : `read_csv($1, columns = {${columns}}, auto_detect = false, header = true, delim = ${sqlText(delimiter)}, quote = '"', ` +
        `escape = '"', nullstr = '', max_line_size = ${lineBytesMax})`;
  return {
    sql: `SELECT ${selected.join(', ')} FROM ${read}`,
    parameters: [path],
    ...(header.length === 0 ? { extraColumns: [], missingColumns: [] } : compareColumns(dataset, header)),
  };
}

async function assertArray(name: string, path: string): Promise<void> {
  const start = (await readSample(path)).trimStart();
  if (start === '' || start.startsWith('[')) return;
  throw new AppError('source_rejected', `${name}: is not a JSON array; name a file of JSON Lines .jsonl`);
}

/** A tab in `.tsv`; otherwise the first separator in the header, by default a comma. */
function delimiterOf(name: string, header: string): string {
  if (/\.tsv(?:\.gz)?$/i.test(name)) return '\t';
  return [',', ';', '\t', '|'].find((delimiter) => header.includes(delimiter)) ?? ',';
}

/** Empty for an empty file. */
function csvHeader(
  line: string,
  {
    dataset,
    name: fileName,
    delimiter,
  }: { readonly dataset: Dataset; readonly name: string; readonly delimiter: string },
): readonly string[] {
  if (line === '') return [];
  const fields = line.match(new RegExp(`("(?:[^"]|"")*"|[^\\${delimiter}]*)(?:\\${delimiter}|$)`, 'g')) ?? [];
  const written = (line.endsWith(delimiter) ? fields : fields.slice(0, -1))
    .map((field) => (field.endsWith(delimiter) ? field.slice(0, -delimiter.length) : field))
    .map((field) => (field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field).trim());
  const names = written.map((name) => matchingColumn(name, dataset));
  // DuckDB treats names that differ only in case as one.
  const lower = names.map((name) => name.toLowerCase());
  const repeated = names.find((_, index) => lower.indexOf(lower[index] ?? '') !== index);
  if (repeated !== undefined) {
    throw new AppError('source_rejected', `${fileName} line 1: the header has the column ${repeated} twice`);
  }
  return names;
}

/** Known columns match in any case. */
function matchingColumn(name: string, { columns }: Dataset): string {
  const lower = name.toLowerCase();
  return columns.some((column) => column.name === lower) ? lower : name;
}

/** Lines that don't parse are left to the real read. */
async function sampleJsonColumns(path: string): Promise<readonly string[]> {
  const names = new Set<string>();
  for (const line of (await readSample(path)).split('\n')) {
    for (const name of keysFromLine(line.trim().replace(/^\[|[,\]]$/g, ''))) names.add(name);
  }
  return [...names];
}

function keysFromLine(line: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(line);
    return value !== null && typeof value === 'object' && !Array.isArray(value) ? Object.keys(value) : [];
  } catch {
    return [];
  }
}

async function readSample(path: string): Promise<string> {
  return (await readStart(path, SAMPLE_BYTES)).toString('utf8');
}
