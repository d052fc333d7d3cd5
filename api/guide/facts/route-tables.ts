import type { Capability } from '../../data/access/capabilities.ts';
import type { DataRoute } from '../../data/answers/data-route.ts';
import { parametersFrom } from '../../data/openapi/data-operation.ts';
import { type JsonSchema, SchemaCollector } from '../../data/openapi/schema-collector.ts';
import { DATA_ROUTES } from '../../data/routes/data-routes.ts';
import { code, markdownTable } from '../markdown/tables.ts';

/** Each route that is there as a section of its own: what it answers, and what it takes. */
export function routeSections(isLive: (capability: Capability) => boolean): string {
  return DATA_ROUTES.filter(({ capability }) => isLive(capability))
    .map(sectionOf)
    .join('\n\n');
}

/** Largest and default size of a page, by the operation: `limit.listChanges`, `default.listChanges`. */
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

/** The example of each route's answer, as a block of code: `example-listModels` and so on. */
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
    schema: { ...parameter.schema }, // A schema of 3.1, of which `openapi-types` knows no keyword by name.
  }));
}

function sectionOf(route: DataRoute): string {
  const { access, summary, description } = route;
  const parameters = parametersOf(route);
  const told = description === undefined ? `${summary}.` : `${summary}. ${description}`;
  const table = markdownTable(
    ['Parameter', 'Takes', 'Meaning'],
    parameters.map((parameter) => [nameOf(parameter), takes(parameter.schema), parameter.description]),
  );
  return [
    `## GET ${access.name}`,
    told,
    parameters.length === 0 ? 'It takes no parameters.' : table,
    `Cached as ${code(route.cacheControl)}${route.isFree === true ? '; costs no unit' : ''}.`,
  ].join('\n\n');
}

function nameOf({ name, in: place, required }: Parameter): string {
  if (place === 'path') return `${code(name)} in the path`;
  return required ? `${code(name)}, required` : code(name);
}

/** What a parameter takes, in words. */
function takes(schema: JsonSchema): string {
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
