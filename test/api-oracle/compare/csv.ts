/** A list as CSV (specification "CSV"), against the JSON of the same page, which is compared before. */
import { sha256 } from '../../night-oracle/canonical.ts';
import type { Answer } from '../client.ts';
import type { JsonObject } from '../expected.ts';
import { findDifference } from './difference.ts';
import { type Exchange, send, shortResponse, type Verdict } from './exchange.ts';

/** The list in the body of each route that has one. */
const LISTS: Readonly<Record<string, string>> = {
  models: 'models',
  benchmarks: 'benchmarks',
  scores: 'scores',
  pricing: 'pricing',
  lifecycle: 'lifecycle',
  rankings: 'rankings',
  updates: 'models',
  categories: 'categories',
  sources: 'sources',
  snapshots: 'snapshots',
  resolve: 'matches',
  'model-history': 'points',
  'rankings-history': 'points',
};

/** Columns of a list, after all others, which JSON only has where they have a value. */
const OPTIONAL: Readonly<Record<string, readonly string[]>> = { models: ['removed_at'] };

/** A third of all targets, by chance but always the same ones. */
function isAsked(target: string): boolean {
  return Number.parseInt(sha256(target).slice(0, 4), 16) % 3 === 0;
}

export async function compareCsv(exchange: Exchange, target: string, json: Answer): Promise<Verdict> {
  const route = exchange.request.route ?? '';
  const list = LISTS[route];
  if (list === undefined || !isAsked(target)) return undefined;
  const address = `${target}${target.includes('?') ? '&' : '?'}format=csv`;
  const response = await send(exchange, address);
  if (response.status !== 200)
    return { target: address, path: '(status)', expected: 200, actual: shortResponse(response) };
  const body = json.body as JsonObject; // Compared before.
  const records = body[list] as readonly JsonObject[];
  const [first] = records;
  const optional = OPTIONAL[route] ?? [];
  const always = Object.keys(first ?? {}).filter((field) => !optional.includes(field));
  const header = first === undefined ? undefined : [...always, ...optional];
  const cells = records.map((record) => header?.map((field) => cellFrom(record[field] ?? null)));
  const [fields = [], ...rows] = readCsv(response.text);
  const expected = { header: header ?? fields, rows: cells, total: body['total'] ?? null, hasNext: hasNext(body) };
  const total = response.headers.get('x-total-count');
  const actual = {
    header: fields,
    rows,
    total: total === null ? null : Number(total),
    hasNext: response.headers.get('link')?.endsWith('>; rel="next"') === true,
  };
  const difference = findDifference(expected, actual, '(csv)');
  return difference && { target: address, ...difference };
}

function hasNext({ next_cursor: cursor }: JsonObject): boolean {
  return typeof cursor === 'string';
}

/** Null as the empty field, anything else with what it is. */
type Cell = string | { readonly text: string };

function cellFrom(value: unknown): Cell {
  if (value === null) return '';
  return { text: typeof value === 'string' ? value : JSON.stringify(value) };
}

/** The header's names, then the cells of each row. */
function readCsv(text: string): readonly [readonly string[], ...(readonly (readonly Cell[])[])] {
  const rows: Cell[][] = [];
  let row: Cell[] = [];
  for (let at = 0; at < text.length; ) {
    const [field = '', quoted, plain = '', end = ''] = matchAt(FIELD, text, at);
    if (quoted !== undefined) row.push({ text: quoted.replaceAll('""', '"') });
    else row.push(plain === '' ? '' : { text: plain });
    at += field.length;
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  const [header = [], ...others] = rows;
  return [header.map((cell) => (typeof cell === 'string' ? cell : cell.text)), ...others];
}

/** A field with the comma or the end of the line behind it. */
const FIELD = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray {
  pattern.lastIndex = at;
  const found = pattern.exec(text);
  if (found === null) throw new Error(`no field of CSV at character ${at}: ${text.slice(at, at + 60)}`);
  return found;
}
