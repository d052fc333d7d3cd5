/**
 * What a SELECT of `source.sql` may be (decision 0039). The judge is DuckDB's own parse of the text, as JSON, and never a search
 * in the text: comments nest, quotes come in four kinds, and words may stand anywhere.
 */
import { isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { sqlText } from '../../../../storage/duckdb/database.ts';
import { HEADING_HINT } from './sections.ts';

/** Table functions that read a file or list of files, their first argument. */
const FILE_FUNCTIONS: readonly string[] = [
  ...['read_csv', 'read_csv_auto', 'read_json', 'read_json_auto', 'read_json_objects', 'read_json_objects_auto'],
  ...['read_ndjson', 'read_ndjson_auto', 'read_ndjson_objects', 'read_parquet', 'parquet_scan'],
  ...['read_text', 'read_blob', 'glob'],
];

/**
 * Every table function that a SELECT may call. Others change settings, write files or run further SQL (`enable_logging`,
 * `query`, …), and a new version of DuckDB may bring more of them: so these are listed, and not those.
 */
export const TABLE_FUNCTIONS: readonly string[] = [
  ...FILE_FUNCTIONS,
  ...['range', 'generate_series', 'unnest', 'repeat', 'repeat_row', 'json_each', 'json_tree'],
];

/** `json_serialize_sql` of a text: DuckDB's parse tree, or why it has none. */
const ParsedSchema = z.union([
  z.object({ error: z.literal(false), statements: z.array(z.unknown()) }),
  z.object({ error: z.literal(true), error_type: z.string() }),
]);

/** A node of the tree; only what is looked at. */
const NodeSchema = z.looseObject({
  type: z.unknown().optional(),
  query_location: z.number().optional().catch(undefined),
  function_name: z.string().optional(),
  table_name: z.string().optional(),
  children: z.array(z.unknown()).optional().catch(undefined),
  value: z.unknown().optional(),
});
type Node = z.infer<typeof NodeSchema>;

/** A problem of `syntax` is DuckDB's to explain. */
export type Judgement =
  | { readonly problem: string; readonly sql?: never }
  | { readonly sql: string; readonly problem?: never };

/**
 * Judges one statement by its parse tree, and gives it back with relative paths of files made absolute: DuckDB would look for
 * them in the working directory of the process first.
 *
 * @param parsed what `json_serialize_sql` says of exactly this text
 * @param folder at which relative paths start
 */
export function judgeSelect(sql: string, parsed: unknown, folder: string): Judgement {
  const result = ParsedSchema.parse(parsed);
  const problem = problemOfCount(result);
  if (problem !== undefined || result.error) return { problem: problem ?? 'syntax' };
  const paths: Node[] = [];
  for (const { node, isTableFunction } of nodesOf(result.statements)) {
    const name = isTableFunction ? node.function_name?.toLowerCase() : undefined;
    if (name !== undefined && !TABLE_FUNCTIONS.includes(name)) {
      return { problem: `the table function ${name} is not allowed` };
    }
    if (name !== undefined && FILE_FUNCTIONS.includes(name)) paths.push(...pathsOf(node));
    if (isFileName(node)) paths.push(node);
  }
  return { sql: withAbsolutePaths(sql, paths, folder) };
}

/** True for a file where a table's name is expected; what DuckDB takes for one. */
function isFileName({ type, table_name = '' }: Node): boolean {
  return type === 'BASE_TABLE' && /\.(?:csv|tsv|txt|json|jsonl|ndjson|parquet)(?:\.gz|\.zst)?$/i.test(table_name);
}

/** What is wrong with a text that isn't one SELECT. */
function problemOfCount(parsed: z.infer<typeof ParsedSchema>): string | undefined {
  if (parsed.error) return parsed.error_type === 'parser' ? 'syntax' : 'only SELECT is allowed';
  const { length } = parsed.statements;
  if (length === 0) return 'expected one SELECT, found none';
  return length === 1 ? undefined : `expected one SELECT, found ${length} statements; ${HEADING_HINT}`;
}

/** Every object of the tree, at any depth; a table function's own node is told from a call inside of an expression. */
function* nodesOf(tree: unknown): Generator<{ readonly node: Node; readonly isTableFunction: boolean }> {
  const waiting: { readonly value: unknown; readonly isTableFunction: boolean }[] = [
    { value: tree, isTableFunction: false },
  ];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value, isTableFunction } = next;
    if (value === null || typeof value !== 'object') continue;
    const node = Array.isArray(value) ? undefined : NodeSchema.parse(value);
    if (node !== undefined) yield { node, isTableFunction };
    for (const [name, child] of Object.entries(value)) {
      waiting.push({ value: child, isTableFunction: name === 'function' && node?.type === 'TABLE_FUNCTION' });
    }
  }
}

/** The texts that a file function's first argument is made of. */
function pathsOf({ children = [] }: Node): readonly Node[] {
  const first = NodeSchema.safeParse(children[0]).data;
  if (first === undefined) return [];
  if (first.function_name !== 'list_value') return [first];
  return (first.children ?? []).map((child) => NodeSchema.parse(child));
}

/** A quoted text or name at a place of the SQL, in each of the ways of quoting. */
const QUOTED = /'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\w*)\$[\s\S]*?\$\1\$/y;

function withAbsolutePaths(sql: string, nodes: readonly Node[], folder: string): string {
  const bytes = Buffer.from(sql, 'utf8'); // Places in the tree count bytes.
  const edits = nodes.flatMap((node) => {
    const path = pathOf(node);
    if (path === undefined || node.query_location === undefined || isAbsolute(path) || /^\w+:\/\//.test(path))
      return [];
    const rest = bytes.subarray(node.query_location).toString('utf8');
    QUOTED.lastIndex = 0;
    const token = QUOTED.exec(rest)?.[0];
    return token === undefined
      ? []
      : [{ at: node.query_location, bytes: Buffer.byteLength(token), path: join(folder, path) }];
  });
  let text = bytes;
  for (const { at, bytes: length, path } of edits.sort((left, right) => right.at - left.at)) {
    text = Buffer.concat([text.subarray(0, at), Buffer.from(sqlText(path)), text.subarray(at + length)]);
  }
  return text.toString('utf8');
}

const TextSchema = z.object({ type: z.object({ id: z.literal('VARCHAR') }), value: z.string() });

/** The path that a constant or a table's name is. */
function pathOf(node: Node): string | undefined {
  if (node.type !== 'BASE_TABLE') return TextSchema.safeParse(node.value).data?.value;
  return node.table_name;
}
