/**
 * Which SELECTs `source.sql` may contain (decision 0039). Validation walks DuckDB's own parse tree and never searches
 * the text: comments nest, quotes come in four kinds, and keywords may appear anywhere.
 */
import { isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { sqlText } from '../../../../storage/duckdb/database.ts';
import { HEADING_HINT } from './messages.ts';

/** Table functions whose first argument is a file or list of files. */
const FILE_FUNCTIONS: readonly string[] = [
  ...['read_csv', 'read_csv_auto', 'read_json', 'read_json_auto', 'read_json_objects', 'read_json_objects_auto'],
  ...['read_ndjson', 'read_ndjson_auto', 'read_ndjson_objects', 'read_parquet', 'parquet_scan'],
  ...['read_text', 'read_blob', 'glob'],
];

/**
 * All that a SELECT may call. An allow list: others change settings, write files or run SQL (`enable_logging`, `query`,
 * …), and new versions of DuckDB may add more.
 */
const TABLE_FUNCTIONS: readonly string[] = [
  ...FILE_FUNCTIONS,
  ...['range', 'generate_series', 'unnest', 'repeat', 'repeat_row', 'json_each', 'json_tree'],
];

/** They reveal settings, such as paths; the last plans SQL that wasn't validated. */
const SETTING_FUNCTIONS: readonly string[] = ['current_setting', 'getvariable', 'json_serialize_plan'];

/** What `json_serialize_sql` returns. */
export const ParsedSchema = z.union([
  z.object({ error: z.literal(false), statements: z.array(z.unknown()) }),
  z.object({ error: z.literal(true), error_type: z.string() }),
]);

/** Only the properties in use. */
export const NodeSchema = z.looseObject({
  type: z.unknown().optional(),
  query_location: z.number().optional().catch(undefined),
  function_name: z.string().optional(),
  table_name: z.string().optional(),
  schema_name: z.string().optional(),
  catalog_name: z.string().optional(),
  children: z.array(z.unknown()).optional().catch(undefined),
  value: z.unknown().optional(),
});
export type Node = z.infer<typeof NodeSchema>;

export interface SelectRules {
  /** Where relative paths start. */
  readonly folder: string;
  /** DuckDB's own views that need no schema, in lower case: they show settings and logs. */
  readonly systemTables: readonly string[];
}

/** DuckDB explains a problem of `syntax`. */
type Validation =
  | { readonly problem: string; readonly line: number; readonly sql?: never }
  | { readonly sql: string; readonly problem?: never; readonly line?: never };

/**
 * Validates a statement by its parse tree, and makes its file paths absolute: DuckDB would search relative ones in the
 * process's working directory first.
 * @param parsed `json_serialize_sql` of exactly this text
 */
export function validateSelect(sql: string, parsed: unknown, rules: SelectRules): Validation {
  const result = ParsedSchema.parse(parsed);
  const problem = problemOfCount(result);
  if (problem !== undefined) return { problem, line: 0 };
  if (result.error) return problemOfKind(sql, result.error_type);
  const paths: Node[] = [];
  for (const { node, isTableFunction } of nodesOf(result.statements)) {
    const refusal = isTableFunction ? problemOfTableFunction(node) : problemOfNode(node, rules);
    if (refusal !== undefined) return { problem: refusal, line: lineOfNode(sql, node) };
    if (isTableFunction && isFileFunction(node)) paths.push(...pathsOf(node));
    if (isFileName(node)) paths.push(node);
  }
  return { sql: withAbsolutePaths(sql, paths, rules.folder) };
}

export function isFileFunction({ function_name = '' }: Node): boolean {
  return FILE_FUNCTIONS.includes(function_name.toLowerCase());
}

function problemOfTableFunction({ function_name = '' }: Node): string | undefined {
  const name = function_name.toLowerCase();
  return TABLE_FUNCTIONS.includes(name) ? undefined : `the table function ${name} is not allowed`;
}

function problemOfNode(node: Node, { systemTables }: SelectRules): string | undefined {
  const { type, function_name, table_name = '', schema_name, catalog_name } = node;
  const called = function_name?.toLowerCase();
  if (called !== undefined && SETTING_FUNCTIONS.includes(called)) return `the function ${called} is not allowed`;
  if (type === 'SHOW_REF') return 'only SELECT is allowed, and neither DESCRIBE, SHOW nor SUMMARIZE';
  if (type !== 'BASE_TABLE') return undefined;
  const name = [catalog_name, schema_name, table_name].filter((part) => part !== undefined).join('.');
  const isForeign = schema_name !== undefined || catalog_name !== undefined;
  if (!isForeign && !systemTables.includes(table_name.toLowerCase())) return undefined;
  return `the table ${name} is not allowed: a table is a file, its name in quotes, or a part of WITH`;
}

/** 1-based; 0 where the tree has no location. */
function lineOfNode(sql: string, { query_location }: Node): number {
  if (query_location === undefined) return 0;
  return Buffer.from(sql, 'utf8').subarray(0, query_location).toString('utf8').split('\n').length;
}

export function isFileName({ type, table_name = '' }: Node): boolean {
  return type === 'BASE_TABLE' && /\.(?:csv|tsv|txt|json|jsonl|ndjson|parquet)(?:\.gz|\.zst)?$/i.test(table_name);
}

function problemOfCount(parsed: z.infer<typeof ParsedSchema>): string | undefined {
  if (parsed.error) return undefined;
  const { length } = parsed.statements;
  if (length === 0) return 'expected one SELECT, found none';
  return length === 1 ? undefined : `expected one SELECT, found ${length} statements; ${HEADING_HINT}`;
}

const PIVOT = /^(?:(?!--).)*?\bPIVOT(?:_WIDER)?\b/i;

/**
 * For a text that doesn't parse or isn't only SELECTs. DuckDB counts a PIVOT without IN as such; the text is searched
 * for it only to explain that.
 */
function problemOfKind(sql: string, errorType: string) {
  if (errorType === 'parser') return { problem: 'syntax', line: 0 };
  const line = sql.split('\n').findIndex((text) => PIVOT.test(text)) + 1;
  const advice = line === 0 ? '' : '; a PIVOT has to name the values that become columns: PIVOT … ON column IN (…)';
  return { problem: `only SELECT is allowed${advice}`, line };
}

/** Every object of the tree. A table function's own node is distinguished from calls in expressions. */
export function* nodesOf(tree: unknown): Generator<{ readonly node: Node; readonly isTableFunction: boolean }> {
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

export function pathsOf({ children = [] }: Node): readonly Node[] {
  const first = NodeSchema.safeParse(children[0]).data;
  if (first === undefined) return [];
  if (first.function_name !== 'list_value') return [first];
  return (first.children ?? []).map((child) => NodeSchema.parse(child));
}

/** A quoted text or name, in each kind of quotes. */
const QUOTED = /'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\w*)\$[\s\S]*?\$\1\$/y;

/** Empty where there is none. */
export function tokenAt(sql: Buffer, at: number): Buffer {
  QUOTED.lastIndex = 0;
  return Buffer.from(QUOTED.exec(sql.subarray(at).toString('utf8'))?.[0] ?? '');
}

/** In bytes, like locations in the tree. */
export interface Edit {
  readonly at: number;
  readonly bytes: number;
  readonly sql: string;
}

/** Keeps the number of lines, because errors name them. */
export function applyEdits(sql: Buffer, edits: readonly Edit[]): string {
  let text = sql;
  for (const edit of edits.toSorted((left, right) => right.at - left.at)) {
    const end = edit.at + edit.bytes;
    const lost = newlinesIn(text.subarray(edit.at, end).toString('utf8')) - newlinesIn(edit.sql);
    const replacement = Buffer.from(edit.sql + '\n'.repeat(Math.max(0, lost)));
    text = Buffer.concat([text.subarray(0, edit.at), replacement, text.subarray(end)]);
  }
  return text.toString('utf8');
}

function newlinesIn(text: string): number {
  return text.split('\n').length - 1;
}

function withAbsolutePaths(sql: string, nodes: readonly Node[], folder: string): string {
  const bytes = Buffer.from(sql, 'utf8');
  const edits = nodes.flatMap((node) => {
    const [path, at] = [pathOf(node), node.query_location];
    if (path === undefined || at === undefined || isAbsolute(path) || /^\w+:\/\//.test(path)) return [];
    const token = tokenAt(bytes, at);
    return token.length === 0 ? [] : [{ at, bytes: token.length, sql: sqlText(join(folder, path)) }];
  });
  return applyEdits(bytes, edits);
}

const TextSchema = z.object({ type: z.object({ id: z.literal('VARCHAR') }), value: z.string() });

export function pathOf(node: Node): string | undefined {
  if (node.type !== 'BASE_TABLE') return TextSchema.safeParse(node.value).data?.value;
  return node.table_name;
}
