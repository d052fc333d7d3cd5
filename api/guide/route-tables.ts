import { addDays } from '../../runtime/day.ts';
import { DELETE_ORDER, UPSERT_ORDER } from '../../schemas/change.ts';
import {
  type Column,
  DATASET_NAMES,
  DATASETS,
  type DatasetName,
  publishedColumns,
  publishedName,
} from '../../schemas/datasets.ts';
import type { RecordVersion } from '../../schemas/record-version.ts';
import { RECORD_VERSIONS } from '../../schemas/record-versions.ts';
import type { Capability } from '../data/access/rights.ts';
import { parametersFrom } from '../data/openapi/data-operation.ts';
import { type JsonSchema, SchemaCollector } from '../data/openapi/operation.ts';
import type { DataRoute } from '../data/responses/data-route.ts';
import { DATA_ROUTES } from '../data/routes/data-routes.ts';
import { code, markdownTable } from './markdown.ts';

const JSON_TYPES: Readonly<Record<Column['type'], string>> = {
  id: 'text, an id',
  text: 'text',
  'text[]': 'list of texts',
  double: 'number',
  integer: 'whole number',
  bigint: 'whole number',
  boolean: 'true or false',
  date: 'date',
  timestamp: 'date-time',
  rates: 'list of rates',
  modalities: 'object',
};

/** In the order of records: `fields-models`, `fields-scores` … */
export function fieldTables(): Readonly<Record<string, string>> {
  return Object.fromEntries(DATASET_NAMES.map((name) => [`fields-${name}`, fieldsOf(name)]));
}

export function datasetsTable(): string {
  const rows = DATASET_NAMES.map((name) => {
    const { grain, key, entityType } = DATASETS[name];
    return [code(name), grain, key.map(code).join(', '), entityType === null ? 'not in the feed' : code(entityType)];
  });
  return markdownTable(['Dataset', 'One record per', 'Key', '`entity_type` in the change feed'], rows);
}

export function versionsTable(versions: readonly RecordVersion[] = RECORD_VERSIONS): string {
  const rows = versions.map((version, index) => [
    code(version.version),
    daysOf(version, versions[index + 1]),
    addedIn(versions, version),
  ]);
  return markdownTable(['Version', 'Captured days', 'New fields'], rows);
}

function daysOf({ inForceFrom }: RecordVersion, next: RecordVersion | undefined): string {
  const last = next?.inForceFrom ? addDays(next.inForceFrom, -1) : null;
  if (inForceFrom === null) return last === null ? 'all' : `to ${last}`;
  return last === null ? `from ${inForceFrom} on` : `${inForceFrom} to ${last}`;
}

function addedIn(versions: readonly RecordVersion[], { version, datasets }: RecordVersion): string {
  const added = DATASET_NAMES.flatMap((name) =>
    publishedColumns(datasets[name])
      .filter((column) => sinceOf(versions, name, column) === version)
      .map((column) => `${code(publishedName(column))} of ${name}`),
  );
  return added.join(', ');
}

/** The version that added a column; undefined for the first. */
function sinceOf(versions: readonly RecordVersion[], dataset: DatasetName, { name }: Column): string | undefined {
  const first = versions.findIndex(({ datasets }) =>
    publishedColumns(datasets[dataset]).some((column) => column.name === name),
  );
  return first > 0 ? versions[first]?.version : undefined;
}

/** Entity types of a night's deletes and upserts, in order. */
export function orderValues(): Readonly<Record<string, string>> {
  const inOrder = (names: readonly DatasetName[]) =>
    names.map((name) => code(DATASETS[name].entityType ?? '')).join(', ');
  return { 'order.deletes': inOrder(DELETE_ORDER), 'order.upserts': inOrder(UPSERT_ORDER) };
}

function fieldsOf(name: DatasetName): string {
  const { key } = DATASETS[name];
  const rows = publishedColumns(DATASETS[name]).map((column) => {
    const since = sinceOf(RECORD_VERSIONS, name, column);
    return [
      code(publishedName(column)) + (key.includes(column.name) ? ' (key)' : ''),
      JSON_TYPES[column.type] + (column.nullable ? ' or null' : '') + (since === undefined ? '' : `, since ${since}`),
      column.description,
    ];
  });
  return markdownTable(['Field', 'Type', 'Meaning'], rows);
}

export function routeSections(isLive: (capability: Capability) => boolean): string {
  return DATA_ROUTES.filter(({ capability }) => isLive(capability))
    .map(sectionOf)
    .join('\n\n');
}

/** Page sizes by operation: `limit.listChanges`, `default.listChanges`. */
export function limitValues(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    DATA_ROUTES.flatMap((route) => {
      const limit = parametersOf(route).find(({ name }) => name === 'limit');
      if (limit === undefined) return [];
      return [
        [`limit.${route.operationId}`, String(limit.schema['maximum'])],
        [`default.${route.operationId}`, String(limit.schema['default'])],
      ];
    }),
  );
}

/** Example responses by operation, as code: `example-listModels`. */
export function exampleTables(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    DATA_ROUTES.map(({ operationId, example }) => [
      `example-${operationId}`,
      `\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\``,
    ]),
  );
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
}

function parametersOf({ params, query }: DataRoute): readonly Parameter[] {
  const schemas = new SchemaCollector();
  return [...parametersFrom(params, 'path', schemas), ...parametersFrom(query, 'query', schemas)].map((parameter) => ({
    name: parameter.name,
    in: parameter.in,
    required: parameter.required === true,
    description: parameter.description ?? '',
    schema: { ...parameter.schema }, // `openapi-types` doesn't name the keywords of 3.1.
  }));
}

function sectionOf(route: DataRoute): string {
  const { access, summary, description } = route;
  const parameters = parametersOf(route);
  const text = description === undefined ? `${summary}.` : `${summary}. ${description}`;
  const table = markdownTable(
    ['Parameter', 'Type', 'Meaning'],
    parameters.map((parameter) => [nameOf(parameter), typeText(parameter.schema), parameter.description]),
  );
  return [
    `## GET ${access.name}`,
    text,
    parameters.length === 0 ? 'No parameters.' : table,
    `Cached as ${code(route.cacheControl)}${route.isFree === true ? '; costs no unit' : ''}.`,
  ].join('\n\n');
}

function nameOf({ name, in: place, required }: Parameter): string {
  if (place === 'path') return `${code(name)} in the path`;
  return required ? `${code(name)}, required` : code(name);
}

function typeText(schema: JsonSchema): string {
  const { enum: values, minimum, maximum, default: fallback, format, type } = schema;
  const kind = Array.isArray(values) ? values.map((value) => code(String(value))).join(', ') : kindOf(type, format);
  const range = minimum !== undefined && maximum !== undefined ? `, ${String(minimum)} to ${String(maximum)}` : '';
  return `${kind}${range}${fallback === undefined ? '' : `; default ${code(String(fallback))}`}`;
}

function kindOf(type: unknown, format: unknown): string {
  if (format === 'date') return 'date';
  if (type === 'integer') return 'whole number';
  return type === 'string' ? 'text' : String(type ?? 'text');
}
