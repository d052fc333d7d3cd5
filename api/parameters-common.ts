import { z } from 'zod';
import { ID_LENGTH_MAX } from '../schemas/datasets.ts';
import { day, integer, text } from './parameters.ts';

/** Longest cursor: two ids of 200 characters and a sort value, escaped and in base64. */
const CURSOR_LENGTH_MAX = 4096;

/** An id of the data, as a filter or in a path. */
export function id(description: string, example?: string) {
  return text({ max: ID_LENGTH_MAX, description, ...(example === undefined ? {} : { example }) });
}

export const listCursor = z
  .string()
  .min(1)
  .max(CURSOR_LENGTH_MAX)
  .meta({ description: 'The `next_cursor` of the page before, with the same filters and order' })
  .optional();

export function limit(max: number, fallback: number) {
  return integer({ min: 1, max, fallback, description: 'Records per page' });
}

/** `from` and `to` of a history. */
export const RANGE = {
  from: day({
    description: 'First day, inclusive; default 400 days before `to`, or where the plan begins',
    example: '2026-01-01',
  }).optional(),
  to: day({ description: 'Last day, inclusive; default today', example: '2026-06-29' }).optional(),
};

export const schemaVersion = text({
  max: 20,
  description: 'Record schema, major or major.minor; default: the major version in force',
  example: '1.0',
}).optional();

export const NO_PARAMETERS = z.object({});
