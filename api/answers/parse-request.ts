import type { z } from 'zod';
import { notFound } from './api-error.ts';
import { type Problem, parsePart, RequestInvalid } from './validation.ts';

/** What a request's parameters must be. */
export interface RequestSchemas<Params, Query> {
  readonly params: z.ZodObject & z.ZodType<Params>;
  readonly query: z.ZodObject & z.ZodType<Query>;
  /** Finds what is wrong with parameters that are right one by one. */
  readonly check?: ((query: CheckedQuery<Query>) => readonly Problem[]) | undefined;
}

/** Query parameters of which some may be wrong: those are left out of `values` and named in `wrong`. */
export interface CheckedQuery<Query> {
  readonly values: Partial<Query>;
  readonly wrong: ReadonlySet<string>;
}

/** The parameters of a request; throws RequestInvalid with all problems of path and query at once (DECISIONS "422"). */
export function parseRequest<Params, Query>(
  { params, query, check }: RequestSchemas<Params, Query>,
  given: { readonly params: unknown; readonly query: unknown },
): { readonly params: Params; readonly query: Query } {
  // An empty id is none: /v1/models/ is as unknown as /v1/scores/.
  if (Object.values(given.params ?? {}).includes('')) throw notFound(null, 'There is no such route');
  const [path, search] = [parsePart(params, given.params, 'path'), parsePart(query, given.query, 'query')];
  const problems = [...problemsOf(path), ...problemsOf(search)];
  const wrong = new Set(problemsOf(search).map(({ loc }) => String(loc[1])));
  const values = 'value' in search ? search.value : rightValues(query, given.query, wrong);
  problems.push(...(check?.({ values, wrong }) ?? []));
  if (problems.length > 0 || !('value' in path) || !('value' in search)) throw new RequestInvalid(problems);
  return { params: path.value, query: search.value };
}

function problemsOf(result: ReturnType<typeof parsePart>): readonly Problem[] {
  return 'problems' in result ? result.problems : [];
}

/** The parameters that are right, with defaults, where others are wrong. */
function rightValues<Query>(
  schema: z.ZodObject & z.ZodType<Query>,
  given: unknown,
  wrong: ReadonlySet<string>,
): Partial<Query> {
  const right = Object.keys(schema.shape).filter((name) => !wrong.has(name));
  // A shape's own names, which the type of an object of whatever shape can't tell.
  const mask = Object.fromEntries(right.map((name) => [name, true])) as Record<string, true>;
  const picked = schema.pick(mask);
  const result = parsePart(picked, given, 'query');
  return ('value' in result ? result.value : {}) as Partial<Query>; // The same schema, some of its fields.
}
