import type { OpenAPIV3_1 as OpenApi } from 'openapi-types';
import { z } from 'zod';

/** Responses by status; the `ResponsesObject` of `openapi-types` also has types of 3.0. */
export type Responses = Readonly<Record<string, OpenApi.ResponseObject | OpenApi.ReferenceObject>>;

/** Named in each operation, because client generators ignore the document's own `security`. */
export const BEARER = [{ bearer: [] }] as const;

/** Every operation is a GET. */
export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  /** {@link BEARER}, or empty for one that needs no key. */
  readonly security: typeof BEARER | readonly [];
  readonly parameters?: readonly (OpenApi.ParameterObject | OpenApi.ReferenceObject)[];
  readonly responses: Responses;
}

export type Paths = Readonly<Record<string, { readonly get: Operation }>>;

/** Shared components of the document. */
export interface Collectors {
  readonly schemas: SchemaCollector;
  readonly responses: ResponseCollector;
}

export class ResponseCollector {
  readonly #components = new Map<string, OpenApi.ResponseObject>();

  /** A reference to a shared response. Throws if the name has another one already. */
  share(name: string, response: OpenApi.ResponseObject): OpenApi.ReferenceObject {
    const known = this.#components.get(name) ?? response;
    if (JSON.stringify(known) !== JSON.stringify(response))
      throw new Error(`two different responses are called ${name}`);
    this.#components.set(name, known);
    return { $ref: `#/components/responses/${name}` };
  }

  get components(): Record<string, OpenApi.ResponseObject> {
    return Object.fromEntries([...this.#components].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

/** A JSON Schema of draft 2020-12, as in OpenAPI 3.1. */
export type JsonSchema = { [keyword: string]: unknown };

/**
 * Turns zod schemas into JSON Schemas. Schemas with an `id` become components. Objects stay open, because minor
 * versions add fields (specification "Versioning of the API").
 */
export class SchemaCollector {
  readonly #components = new Map<string, JsonSchema>();

  /** `output`: a response; `input`: a parameter. */
  schemaFrom(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    const { $defs = {}, $schema: _, ...root } = z.toJSONSchema(schema, { io, target: 'draft-2020-12' });
    for (const [name, definition] of Object.entries($defs)) this.#add(name, tidy(definition));
    return tidy(root);
  }

  get components(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries([...this.#components].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #add(name: string, schema: JsonSchema): void {
    const known = this.#components.get(name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema)) {
      throw new Error(`two different schemas are called ${name}`);
    }
    this.#components.set(name, schema);
  }
}

/** Drops safe-integer bounds, patterns beside a format, and `additionalProperties` of objects with named fields. */
function tidy(schema: JsonSchema): JsonSchema {
  const entries = Object.entries(schema).filter(([keyword, value]) => {
    if (keyword === 'id' && typeof value === 'string') return false;
    if (keyword === 'pattern' && 'format' in schema) return false;
    if (keyword === 'propertyNames') return false;
    if (keyword === 'additionalProperties') return !('properties' in schema);
    return value !== Number.MAX_SAFE_INTEGER && value !== Number.MIN_SAFE_INTEGER;
  });
  const { anyOf, ...rest } = Object.fromEntries(
    entries.map(([keyword, value]) => [keyword, tidyKeyword(keyword, value)]),
  );
  const nullable = anyOf === undefined ? undefined : nullableFrom(anyOf as readonly JsonSchema[]); // By JSON Schema.
  if (nullable !== undefined) return { ...nullable, ...rest };
  return anyOf === undefined ? rest : { ...rest, anyOf };
}

function tidyKeyword(keyword: string, value: unknown): unknown {
  if (keyword === '$ref') return String(value).replace('#/$defs/', '#/components/schemas/');
  if (keyword === 'properties') {
    const properties = Object.entries(value as Record<string, JsonSchema>); // By JSON Schema.
    return Object.fromEntries(properties.map(([name, property]) => [name, tidy(property)]));
  }
  if (keyword === 'items') return tidy(value as JsonSchema); // By JSON Schema.
  if (keyword === 'anyOf' || keyword === 'oneOf') return (value as readonly JsonSchema[]).map(tidy); // By JSON Schema.
  return value;
}

/** `anyOf: [{type: T, …}, {type: null}]` as `{type: [T, null], …}`; undefined for other choices. */
function nullableFrom(choices: readonly JsonSchema[]): JsonSchema | undefined {
  const [first, second, ...more] = choices;
  if (first === undefined || second?.['type'] !== 'null' || more.length > 0) return undefined;
  const { type, enum: values, ...rest } = first;
  if (typeof type !== 'string') return undefined;
  return { type: [type, 'null'], ...(Array.isArray(values) ? { enum: [...values, null] } : {}), ...rest };
}
