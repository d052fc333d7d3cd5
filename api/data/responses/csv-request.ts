import { z } from 'zod';
import type { RecordVersion } from '../../../schemas/record-version.ts';
import { getVersion, type VersionedDay } from '../../../schemas/record-versions.ts';
import type { Content, ParsedRequest } from '../../server/route.ts';
import { readCsv } from './csv.ts';
import { publishedFieldOf } from './records.ts';

interface CsvOptions {
  /** The field of the body with the records. */
  readonly list: string;
  /** As parsed, with defaults: text, or what prints as it was given. */
  readonly query: Readonly<Record<string, unknown>>;
  readonly route: { readonly path: string; readonly response: z.ZodType };
  readonly context: Release;
}

interface Release {
  readonly view: { readonly newest: VersionedDay };
  readonly versions: readonly RecordVersion[];
}

/** The same request for CSV: the records of the JSON body, and in headers what the body says of the page. */
export function csvRequest<Context>(
  json: ParsedRequest<Context>,
  { list, query, route: { path, response }, context }: CsvOptions,
): ParsedRequest<Context> {
  if (!('cached' in json) || json.dependsOn === undefined) throw new Error(`${path} has no body to make CSV of`);
  const { effective, dependsOn, assertExists, cached } = json;
  const fields = fieldsOf(response, list, context);
  return {
    effective: { format: 'csv', of: effective },
    headers: () => ({
      'Content-Type': 'text/csv; charset=utf-8; header=present',
      'Content-Disposition': `attachment; filename="${fileName(path, context)}"`,
    }),
    // The fields of an empty list don't depend on its content.
    dependsOn: (given) => {
      const { on, changedAt } = dependsOn(given);
      return { on: [on, fields], changedAt };
    },
    assertExists,
    cached: async (given) => pageFrom(await cached(given), { list, fields, query }),
  };
}

/** `/v1/models/:model_id/history` → `models-history-2026-06-29.csv`. */
function fileName(path: string, { view }: Release): string {
  const names = path.split('/').slice(2);
  return `${[...names.filter((name) => !name.startsWith(':')), view.newest.day].join('-')}.csv`;
}

/** In wire order: those of the schema that the records have in the version in force. */
function fieldsOf(response: z.ZodType, list: string, { versions, view }: Release): readonly string[] {
  const version = getVersion(versions, view.newest.schema_version);
  const fields = Object.entries(recordSchemaOf(response, list).shape);
  return fields.flatMap(([name, schema]) => publishedFieldOf(schema, { name, version }) ?? []);
}

/** The records of all kinds of a body have the same fields. */
function recordSchemaOf(response: z.ZodType, list: string): z.ZodObject<Readonly<Record<string, z.ZodType>>> {
  const body = response instanceof z.ZodDiscriminatedUnion ? response.options[0] : response;
  const records = body instanceof z.ZodObject ? body.shape[list] : undefined;
  const record = records instanceof z.ZodArray ? records.element : undefined;
  if (!(record instanceof z.ZodObject)) throw new Error(`the response has no list of records called ${list}`);
  return record;
}

interface Page extends Pick<CsvOptions, 'list' | 'query'> {
  readonly fields: readonly string[];
}

/** Lists without pages have neither total nor cursor. Before the list, a body has plain values only. */
async function pageFrom(json: Content, { list, fields, query }: Page): Promise<Content> {
  const text = String(typeof json === 'string' || Buffer.isBuffer(json) ? json : json.body);
  const name = `"${list}":`;
  const at = text.indexOf(name) + name.length;
  const { csv, end } = await readCsv(fields, text, at);
  const { total, next_cursor: cursor } = JSON.parse(`${text.slice(0, at)}[]${text.slice(end)}`);
  return {
    body: csv,
    headers: {
      ...(total === undefined ? {} : { 'X-Total-Count': String(total) }),
      ...(typeof cursor === 'string' ? { Link: `<${nextPage(query, cursor)}>; rel="next"` } : {}),
    },
  };
}

/** Relative to the page's own address: a cached page is for every host. */
function nextPage(query: CsvOptions['query'], cursor: string): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return `?${new URLSearchParams([
    ...given.map(([name, value]) => [name, String(value)]).filter(([name]) => name !== 'cursor'),
    ['format', 'csv'],
    ['cursor', cursor],
  ])}`;
}
