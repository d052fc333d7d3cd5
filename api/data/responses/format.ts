import { z } from 'zod';
import { parsePart, type RequestProblem } from '../../server/errors/http-error.ts';
import type { GivenRequest } from '../../server/route.ts';

/** Of every list (specification "CSV"). */
export const FORMATS = ['json', 'csv'] as const;

const FORMAT_QUERY = z.object({ format: z.enum(FORMATS).default('json') });

export const FORMAT_DESCRIPTION = 'Form of the list';

interface ReadFormat {
  readonly format: (typeof FORMATS)[number];
  readonly problems: readonly RequestProblem[];
}

export const JSON_FORMAT: ReadFormat = { format: 'json', problems: [] };

export function readFormat({ query = {} }: GivenRequest): ReadFormat {
  const read = parsePart(FORMAT_QUERY, query, 'query');
  return 'problems' in read ? { ...JSON_FORMAT, problems: read.problems } : { ...read.value, problems: [] };
}
