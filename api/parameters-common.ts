import { z } from 'zod';
import { ID_LENGTH_MAX } from '../schemas/datasets.ts';
import { day, integer, text } from './parameters.ts';

/** Longest cursor: two ids of 200 characters and a sort value, escaped and in base64. */
const CURSOR_LENGTH_MAX = 4096;

/** An id of the data, as a filter or in a path. */
export function id(description: string, example?: string) {
  return text({ max: ID_LENGTH_MAX, description, ...(example === undefined ? {} : { example }) });
}

export const listCursor = text({
  max: CURSOR_LENGTH_MAX,
  description: 'The `next_cursor` of the page before, with the same filters and order',
  example: 'ZjI2NGJkMzNbImdwdC01LjQtbWluaSJd',
}).optional();

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

export const NO_PARAMETERS = z.object({});
