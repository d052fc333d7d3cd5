/**
 * What a tool's structured content is, as clients check it and models see it: fields and their types, in as few words as will do. Every
 * agent reads the schemas of all tools before it asks anything, so what the texts say anyway is left out here: descriptions, bounds, and
 * which fields a record always has (decision 0069).
 */
import { z } from 'zod';
import type { RouteAccess } from '../../data/access/access-control.ts';
import type { JsonSchema } from '../../data/openapi/operation.ts';
import type { DataRoute } from '../../data/responses/data-route.ts';
import type { Body, Exchange } from '../exchange.ts';
import type { Found } from '../told.ts';

/** A question that agents can ask. Every tool only reads. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  /** When to use it, what it costs and what comes next, for a model. */
  readonly description: string;
  /** The route whose rules it keeps: where that isn't there, neither is the tool. */
  readonly access: RouteAccess;
  readonly inputSchema: ObjectSchema;
  /** Of what it finds, or of the envelope where it is refused. */
  readonly outputSchema: ObjectSchema;
  /** Rejects with what the routes behind it refuse. */
  readonly call: (args: Body, exchange: Exchange) => Promise<Found>;
}

export type ObjectSchema = JsonSchema & { type: 'object' };

export interface ArgumentWords {
  /** Parameters that make no sense for an agent; default: none. */
  readonly left?: readonly string[];
  /** What a parameter is told as, where a URL is told otherwise or more can be said; by its name. */
  readonly words?: Readonly<Record<string, string>>;
}

/** The arguments of a tool: the parameters of its route, those of the path before those of the query. */
export function inputSchemaOf({ params, query }: DataRoute, words: ArgumentWords = {}): ObjectSchema {
  return argumentsSchema(z.object({ ...params.shape, ...query.shape }), words);
}

/** The arguments of a tool that has a schema of its own. Whether they are right the route says, in one way for all. */
export function argumentsSchema(schema: z.ZodObject, { left = [], words = {} }: ArgumentWords = {}): ObjectSchema {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input', target: 'draft-2020-12' });
  const shown = Object.entries(properties).filter(([name]) => !left.includes(name));
  const needed = required.filter((name) => !left.includes(name));
  const told = shown.map(([name, property]) => {
    const description = words[name];
    return [name, { ...tidy(Object(property)), ...(description === undefined ? {} : { description }) }];
  });
  return {
    type: 'object',
    properties: Object.fromEntries(told),
    ...(needed.length === 0 ? {} : { required: needed }),
    additionalProperties: false,
  };
}

/** What says nothing to whoever chooses arguments: how long a text may be, bounds that everything keeps, values for one's own data. */
const UNTOLD = new Set(['pattern', 'minLength', 'maxLength', 'example', '$schema']);

function tidy(schema: JsonSchema): JsonSchema {
  const entries = Object.entries(schema).filter(
    ([keyword, value]) =>
      !UNTOLD.has(keyword) && value !== Number.MAX_SAFE_INTEGER && !(keyword === 'minimum' && value === 0),
  );
  return Object.fromEntries(entries);
}

/** Of what a tool finds; or of the envelope where it is refused, which is a field `error`, or `detail` with a list of problems. */
export function outputSchemaOf(found: z.ZodType): ObjectSchema {
  const { $defs = {}, $ref, ...inline } = z.toJSONSchema(found, { io: 'output', target: 'draft-2020-12' });
  const named: Definitions = $defs; // Each an object.
  const whole = definitionOf($ref === undefined ? inline : { $ref }, named);
  const [first = whole] = alternatives(whole['oneOf']).map((each) => definitionOf(each, named));
  return {
    type: 'object',
    properties: { ...Object(bare(whole, named)['properties']), error: { type: 'object' }, detail: { type: 'array' } },
    anyOf: [{ required: first['required'] }, { required: ['error'] }, { required: ['detail'] }],
  };
}

/** What a reference leads to; a schema without one itself. */
function definitionOf(schema: JsonSchema, named: Definitions): JsonSchema {
  const { $ref } = schema;
  return typeof $ref === 'string' ? (named[$ref.replace('#/$defs/', '')] ?? {}) : schema;
}

type Definitions = Readonly<Record<string, JsonSchema>>;

/** A schema with nothing but types and names. What isn't listed stays open: fields, and words of an enumeration, may be added. */
function bare(schema: JsonSchema, named: Definitions): JsonSchema {
  const kinds = alternatives(schema['oneOf']).map((each) => bare(each, named));
  if (kinds.length > 0) return kinds.reduce(eitherOf);
  const { $ref, type, properties, items, anyOf } = unite(schema, named);
  if (typeof $ref === 'string') return bare(definitionOf({ $ref }, named), named);
  const fields = Object.entries(Object(properties)).map(([name, field]) => [name, bare(Object(field), named)]);
  return {
    ...(type === undefined ? {} : { type }),
    ...(fields.length === 0 ? {} : { properties: Object.fromEntries(fields) }),
    ...(items === undefined ? {} : { items: bare(Object(items), named) }),
    ...(anyOf === undefined ? {} : { anyOf: alternatives(anyOf).map((each) => bare(each, named)) }),
  };
}

/** One schema for two kinds of an object: their fields, each as either has it; where they have other fields they are just objects. */
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

/** One schema for alternatives that are a type or null; else the schema as it is. */
function unite(schema: JsonSchema, named: Definitions): JsonSchema {
  const all = alternatives(schema['anyOf']).map((each) => definitionOf(each, named));
  const some = all.filter(({ type }) => type !== 'null');
  const [first] = some;
  if (first === undefined || some.length > 1 || typeof first['type'] !== 'string') return schema;
  return { ...first, type: all.length > some.length ? [first['type'], 'null'] : first['type'] };
}

function alternatives(anyOf: unknown): readonly JsonSchema[] {
  return Array.isArray(anyOf) ? (anyOf as readonly JsonSchema[]) : []; // A list of schemas, wherever it is there.
}
