/**
 * Makes SELECTs read files as empty that no fetch has ever brought (decision 0073), or whose upstream is off. A call that reads only such files
 * becomes an empty relation; from a list of files they are removed. The result is validated like any other SELECT.
 */
import { posix } from 'node:path';
import { sqlName } from '../../../../storage/duckdb/database.ts';
import type { AbsentFile } from './messages.ts';
import {
  applyEdits,
  type Edit,
  isFileFunction,
  isFileName,
  type Node,
  NodeSchema,
  nodesOf,
  ParsedSchema,
  pathOf,
  pathsOf,
  tokenAt,
} from './select.ts';

type Columns = AbsentFile['columns'];

interface AbsentDeps {
  readonly absent: readonly AbsentFile[];
  /** Files of the day's folder that match. */
  readonly listFiles: (pattern: string) => Promise<readonly string[]>;
  /** The error for a SELECT that would read a file of an upstream that is off. */
  readonly reject: (reason: string) => Error;
}

const FIXED_COLUMNS: Readonly<Record<string, Columns>> = {
  read_text: { filename: 'VARCHAR', content: 'VARCHAR', size: 'BIGINT', last_modified: 'TIMESTAMPTZ' },
  read_blob: { filename: 'VARCHAR', content: 'BLOB', size: 'BIGINT', last_modified: 'TIMESTAMPTZ' },
  read_json_objects: { json: 'JSON' },
  read_json_objects_auto: { json: 'JSON' },
  read_ndjson_objects: { json: 'JSON' },
  glob: { file: 'VARCHAR' },
};

/**
 * A SELECT without absent files. One whose columns are unknown stays: DuckDB then reports a missing file. Of an upstream
 * that is off, it is rejected.
 * @param parsed `json_serialize_sql` of exactly this text
 */
export async function withoutAbsentFiles(sql: string, parsed: unknown, deps: AbsentDeps): Promise<string> {
  const result = ParsedSchema.parse(parsed);
  if (result.error) return sql;
  const bytes = Buffer.from(sql, 'utf8');
  const edits: Edit[] = [];
  for (const { node } of nodesOf(result.statements)) {
    const call = node.type === 'TABLE_FUNCTION' ? NodeSchema.safeParse(node['function']).data : undefined;
    const edit = call === undefined ? await nameEdit(node, bytes, deps) : await callEdit({ node, call }, bytes, deps);
    if (edit !== undefined) edits.push(edit);
  }
  return applyEdits(bytes, edits);
}

/** A file name in the place of a table. */
async function nameEdit(node: Node, bytes: Buffer, deps: AbsentDeps): Promise<Edit | undefined> {
  const { query_location: at, table_name: path = '' } = node;
  if (at === undefined || !isFileName(node)) return undefined;
  const file = await findAbsent(path, deps);
  if (file === undefined) return undefined;
  if (Object.keys(file.columns).length === 0) return keepUnlessOff([file], deps);
  const name = path.replace(/^.*\//, '').replace(/\..*$/, '');
  return { at, bytes: tokenAt(bytes, at).length, sql: emptySql(file.columns, aliasOf(node) ?? name, node) };
}

interface Call {
  /** With its alias. */
  readonly node: Node;
  readonly call: Node;
}

async function callEdit({ node, call }: Call, bytes: Buffer, deps: AbsentDeps): Promise<Edit | undefined> {
  if (!isFileFunction(call) || call.query_location === undefined) return undefined;
  const paths = pathsOf(call).flatMap((one) => {
    const [path, at] = [pathOf(one), one.query_location];
    return path === undefined || at === undefined ? [] : [{ path, at, token: tokenAt(bytes, at) }];
  });
  const gone = await Promise.all(paths.map(({ path }) => findAbsent(path, deps)));
  const present = paths.filter((_, index) => gone[index] === undefined);
  const [first, last] = [paths[0], paths.at(-1)];
  if (first === undefined || last === undefined || present.length === paths.length) return undefined;
  if (present.length > 0) {
    const sql = present.map(({ token }) => token.toString('utf8')).join(', ');
    return { at: first.at, bytes: last.at + last.token.length - first.at, sql };
  }
  const files = gone.filter((one) => one !== undefined);
  const columns = columnsOf(call, files);
  if (columns === undefined) return keepUnlessOff(files, deps);
  const [at, length] = [call.query_location, callLength(bytes.subarray(call.query_location))];
  return { at, bytes: length, sql: emptySql(columns, aliasOf(node) ?? call.function_name ?? '', node) };
}

function keepUnlessOff(files: readonly AbsentFile[], { reject }: AbsentDeps): undefined {
  const file = files.find(({ off }) => off !== undefined);
  if (file === undefined) return undefined;
  throw reject(`reads ${file.file} of ${file.off}, which is off: list the file's columns in source.json`);
}

/** Undefined where the path or pattern matches other files. */
async function findAbsent(given: string, deps: AbsentDeps): Promise<AbsentFile | undefined> {
  const { absent, listFiles, reject } = deps;
  const path = posix.normalize(given); // May begin with './'.
  const [start = ''] = path.split(/[*?[]/, 1);
  const isPattern = start.length < path.length;
  const found = absent.find(({ file, folder }) => {
    if (folder !== null && (start.startsWith(`${folder}/`) || (isPattern && `${folder}/`.startsWith(start))))
      return true;
    return isPattern ? file.startsWith(start) : file === path;
  });
  if (found === undefined || !isPattern) return found;
  const names = await listFiles(path);
  const off = absent.filter((one) => one.off !== undefined);
  const ofOff = off.find((one) => names.some((name) => isOf(name, one)));
  if (ofOff === undefined) return names.length === 0 ? found : undefined;
  if (names.every((name) => off.some((one) => isOf(name, one)))) return ofOff;
  throw reject(`reads ${path}, which also matches files of ${ofOff.off}, which is off: name the files one by one`);
}

function isOf(name: string, { file, folder }: AbsentFile): boolean {
  return name === file || (folder !== null && name.startsWith(`${folder}/`));
}

/** From the function or its `columns` argument, else from the recipe; undefined where neither says. */
function columnsOf(call: Node, absent: readonly AbsentFile[]): Columns | undefined {
  const fixed = FIXED_COLUMNS[call.function_name?.toLowerCase() ?? ''];
  if (fixed !== undefined) return fixed;
  const declared = optionOf(call, 'columns')?.children ?? [];
  const own = declared
    .map((child) => NodeSchema.parse(child))
    .map((child) => [aliasOf(child) ?? '', pathOf(child) ?? '']);
  const ofRecipe = absent.find((file) => Object.keys(file.columns).length > 0)?.columns;
  const columns: Columns | undefined = own.length > 0 ? Object.fromEntries(own) : ofRecipe;
  if (columns === undefined) return undefined;
  return optionOf(call, 'filename') === undefined ? columns : { ...columns, filename: 'VARCHAR' };
}

/** Written `name = value` or `name := value`. */
function optionOf({ children = [] }: Node, name: string): Node | undefined {
  for (const child of children.map((one) => NodeSchema.parse(one))) {
    const names = NodeSchema.safeParse(child['left']).data?.['column_names'];
    if (Array.isArray(names) && String(names[0]).toLowerCase() === name)
      return NodeSchema.safeParse(child['right']).data;
    if (aliasOf(child)?.toLowerCase() === name) return child;
  }
  return undefined;
}

function aliasOf(node: Node): string | undefined {
  return typeof node['alias'] === 'string' ? node['alias'] : undefined;
}

/** @param alias for a node without one */
function emptySql(columns: Columns, alias: string, node: Node): string {
  const selected = Object.entries(columns).map(([name, type]) => `CAST(NULL AS ${type}) AS ${sqlName(name)}`);
  const relation = `(SELECT ${selected.join(', ')} WHERE false)`;
  return aliasOf(node) === undefined ? `${relation} AS ${sqlName(alias)}` : relation;
}

/** Brackets, and tokens that may contain some. */
const BRACKETS =
  /[eE]'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\w*)\$[\s\S]*?\$\1\$|--[^\n]*|\/\*[\s\S]*?\*\/|[()]/g;

/** From its name to its closing bracket. */
function callLength(bytes: Buffer): number {
  const text = bytes.toString('utf8');
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(BRACKETS)) {
    if (token === '(') depth += 1;
    if (token === ')') depth -= 1;
    if (token === ')' && depth === 0) return Buffer.byteLength(text.slice(0, index + 1));
  }
  return 0;
}
