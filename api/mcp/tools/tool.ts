/**
 * Tools and their schemas. Every agent reads all schemas first, so they omit descriptions, bounds and required fields
 * of records (decision 0069).
 */
import { z } from 'zod';
import type { RouteAccess } from '../../data/access/access-control.ts';
import type { JsonSchema } from '../../data/openapi/operation.ts';
import type { DataRoute } from '../../data/responses/data-route.ts';
import type { Body, Exchange } from '../exchange.ts';
import type { Found } from '../tool-text.ts';

/** A read-only tool. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  /** For a model: when to call it, its cost, what to call next. */
  readonly description: string;
  /** Access rules; without the route the tool doesn't exist. */
  readonly access: RouteAccess;
  readonly inputSchema: ObjectSchema;
  /** Of the body, or of the envelope of a refusal. */
  readonly outputSchema: ObjectSchema;
  /** Rejects with the routes' refusals. */
  readonly call: (args: Body, exchange: Exchange) => Promise<Found>;
}

export type ObjectSchema = JsonSchema & { type: 'object' };

export interface ArgumentOptions {
  /** Parameters of no use to an agent; default: none. */
  readonly omitted?: readonly string[];
  /** Descriptions by argument that replace the route's; empty: the name says enough. */
  readonly descriptions?: Readonly<Record<string, string>>;
}

/**
 * One name for one thing in all tools, by other names for it: those of parameters of routes, and of arguments of earlier versions, which
 * are accepted still.
 */
const ARGUMENT_NAMES: Readonly<Record<string, string>> = {
  id: 'model',
  model_id: 'model',
  ids: 'models',
  benchmark_id: 'benchmark',
  category_id: 'category',
};

/** The name of a parameter as an argument. */
export function argumentName(parameter: string): string {
  return ARGUMENT_NAMES[parameter] ?? parameter;
}

/** Arguments of a tool, those under an earlier name under the present one. */
export function withPresentNames(args: Body, { inputSchema }: Pick<Tool, 'inputSchema'>): Body {
  const known = Object(inputSchema['properties']);
  const present = (name: string) => {
    const other = argumentName(name);
    return !(name in known) && other in known && !(other in args) ? other : name;
  };
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [present(name), value]));
}

/** Path parameters, then query parameters. */
export function inputSchemaOf({ params, query }: DataRoute, options: ArgumentOptions = {}): ObjectSchema {
  const shape = Object.entries({ ...params.shape, ...query.shape }).map(([name, schema]) => [
    argumentName(name),
    schema,
  ]);
  return argumentsSchema(z.object(Object.fromEntries(shape)), options);
}

/** For arguments with a schema of their own. */
export function argumentsSchema(
  schema: z.ZodObject,
  { omitted = [], descriptions = {} }: ArgumentOptions = {},
): ObjectSchema {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input', target: 'draft-2020-12' });
  const shown = Object.entries(properties).filter(([name]) => !omitted.includes(name));
  const needed = required.filter((name) => !omitted.includes(name));
  const described = shown.map(([name, property]) => {
    const { description, ...rest } = tidy(Object(property));
    const words = descriptions[name] ?? description;
    return [name, { ...rest, ...(words === '' ? {} : { description: words }) }];
  });
  return {
    type: 'object',
    properties: Object.fromEntries(described),
    ...(needed.length === 0 ? {} : { required: needed }),
  };
}

/** Keywords of no use for choosing arguments. */
const OMITTED_KEYWORDS = new Set(['pattern', 'minLength', 'maxLength', 'default', 'example', '$schema']);

function tidy(schema: JsonSchema): JsonSchema {
  const entries = Object.entries(schema).filter(
    ([keyword, value]) =>
      !OMITTED_KEYWORDS.has(keyword) && value !== Number.MAX_SAFE_INTEGER && !(keyword === 'minimum' && value === 0),
  );
  return Object.fromEntries(entries);
}

/** The body, or the envelope of a refusal: `error`, or `detail` with a list of problems. */
export function outputSchemaOf(found: z.ZodType): ObjectSchema {
  const { $defs = {}, $ref, ...inline } = z.toJSONSchema(found, { io: 'output', target: 'draft-2020-12' });
  const named: Definitions = $defs; // Each an object.
  const whole = definitionOf($ref === undefined ? inline : { $ref }, named);
  const [first = whole] = alternatives(whole['oneOf']).map((each) => definitionOf(each, named));
  return {
    type: 'object',
    properties: Object(bare(whole, named)['properties']),
    anyOf: [{ required: first['required'] }, { required: ['error'] }, { required: ['detail'] }],
  };
}

/** Resolves a reference. */
function definitionOf(schema: JsonSchema, named: Definitions): JsonSchema {
  const { $ref } = schema;
  return typeof $ref === 'string' ? (named[$ref.replace('#/$defs/', '')] ?? {}) : schema;
}

type Definitions = Readonly<Record<string, JsonSchema>>;

/** Types and names of the fields that are always there, open for others and for new enum values. */
function bare(schema: JsonSchema, named: Definitions): JsonSchema {
  const kinds = alternatives(schema['oneOf']).map((each) => bare(each, named));
  if (kinds.length > 0) return kinds.reduce(eitherOf);
  const { $ref, type, properties, required, items, anyOf } = unite(schema, named);
  if (typeof $ref === 'string') return bare(definitionOf({ $ref }, named), named);
  const always = new Set(required as readonly string[] | undefined);
  const fields = Object.entries(Object(properties))
    .filter(([name]) => always.has(name))
    .map(([name, field]) => [name, bare(Object(field), named)]);
  return {
    ...(type === undefined ? {} : { type }),
    ...(fields.length === 0 ? {} : { properties: Object.fromEntries(fields) }),
    ...(items === undefined ? {} : { items: bare(Object(items), named) }),
    ...(anyOf === undefined ? {} : { anyOf: alternatives(anyOf).map((each) => bare(each, named)) }),
  };
}

/** The fields of two object types if both have the same, else just an object. */
function eitherOf(one: JsonSchema, other: JsonSchema): JsonSchema {
  if (JSON.stringify(one) === JSON.stringify(other)) return one;
  const all = new Set([one['type'], other['type']].flat());
  // A whole number is a number.
  const types = [...all].filter((type) => type !== undefined && !(type === 'integer' && all.has('number')));
  const [ours, theirs] = [Object(one['properties']), Object(other['properties'])];
  const names = Object.keys(ours);
  const fields = names.join() === Object.keys(theirs).join() ? names : [];
  const items =
    'items' in one && 'items' in other ? { items: eitherOf(Object(one['items']), Object(other['items'])) } : {};
  return {
    type: types.length === 1 ? types[0] : types,
    ...(fields.length === 0
      ? {}
      : { properties: Object.fromEntries(fields.map((name) => [name, eitherOf(ours[name], theirs[name])])) }),
    ...items,
  };
}

/** One schema for a type or null; others unchanged. */
function unite(schema: JsonSchema, named: Definitions): JsonSchema {
  const all = alternatives(schema['anyOf']).map((each) => definitionOf(each, named));
  const some = all.filter(({ type }) => type !== 'null');
  const [first] = some;
  if (first === undefined || some.length > 1 || typeof first['type'] !== 'string') return schema;
  return { ...first, type: all.length > some.length ? [first['type'], 'null'] : first['type'] };
}

function alternatives(anyOf: unknown): readonly JsonSchema[] {
  return Array.isArray(anyOf) ? (anyOf as readonly JsonSchema[]) : []; // A list of schemas, by JSON Schema.
}
