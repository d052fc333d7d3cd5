import { z } from 'zod';
import type { DataRoute } from '../../api/answers/data-route.ts';
import type { JsonSchema } from '../../api/openapi/schema-collector.ts';
import type { ObjectSchema } from './tool.ts';

/** The arguments of a tool: the parameters of its route, those of the path before those of the query. */
export function inputSchemaOf({ params, query }: DataRoute, left: readonly string[] = []): ObjectSchema {
  return argumentsSchema(z.object({ ...params.shape, ...query.shape }), left);
}

/** The arguments of a tool that has a schema of its own; parameters named in `left` are left out. */
export function argumentsSchema(schema: z.ZodObject, left: readonly string[] = []): ObjectSchema {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input', target: 'draft-2020-12' });
  const shown = Object.entries(properties).filter(([name]) => !left.includes(name));
  return {
    type: 'object',
    properties: Object.fromEntries(shown.map(([name, property]) => [name, tidy(property)])),
    required: required.filter((name) => !left.includes(name)),
    additionalProperties: false,
  };
}

/** What a tool's structured content is: what it found, or why it was refused. */
export function outputSchemaOf(found: z.ZodType): ObjectSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(z.union([found, RefusalSchema, InvalidSchema]), {
    io: 'output',
    target: 'draft-2020-12',
  });
  return { ...(tidy(schema) as JsonSchema), type: 'object' };
}

/** The envelope of errors, without every field: those are described in the documentation of the API. */
const RefusalSchema = z.object({ error: z.looseObject({ code: z.string(), message: z.string() }) });
const InvalidSchema = z.object({ detail: z.array(z.looseObject({ msg: z.string() })) });

/** Leaves out what says nothing: patterns beside a format, bounds of safe integers; and closes nothing, as answers may grow. */
function tidy(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(tidy);
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).filter(([keyword, value]) => {
    if (keyword === 'pattern' && 'format' in schema) return false;
    if (keyword === 'id' && typeof value === 'string') return false;
    if (keyword === 'additionalProperties') return false;
    return value !== Number.MAX_SAFE_INTEGER && value !== Number.MIN_SAFE_INTEGER;
  });
  return Object.fromEntries(entries.map(([keyword, value]) => [keyword, tidy(value)]));
}
