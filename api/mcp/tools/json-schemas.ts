import { z } from 'zod';
import type { DataRoute } from '../../data/answers/data-route.ts';
import type { JsonSchema } from '../../data/openapi/schema-collector.ts';
import type { ObjectSchema } from './tool.ts';

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
