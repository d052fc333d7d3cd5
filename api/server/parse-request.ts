import { z } from 'zod';
import { noSuchRoute } from './errors/error-response.ts';
import { parsePart, RequestInvalid, type RequestProblem } from './errors/http-error.ts';
import type { GivenRequest, ParametersSchema } from './route.ts';

/** What a request's parameters must be. */
export interface RequestSchemas<Params, Query> {
  readonly params: ParametersSchema<Params>;
  readonly query: ParametersSchema<Query>;
  /** Finds what is wrong with parameters that are right one by one. */
  readonly check?: ((query: CheckedQuery<Query>) => readonly RequestProblem[]) | undefined;
}

/** The schemas of a route's parameters; those of none where a route takes none, whose type is of no interest then. */
export function schemasOf<Params, Query>({ params, query }: Partial<RequestSchemas<Params, Query>>) {
  return { params: params ?? NO_PARAMETERS, query: query ?? NO_PARAMETERS } as RequestSchemas<Params, Query>;
}

const NO_PARAMETERS = z.object({});

/** Query parameters of which some may be wrong: those are left out of `values` and named in `wrong`. */
export interface CheckedQuery<Query> {
  readonly values: Partial<Query>;
  readonly wrong: ReadonlySet<string>;
}

/**
 * The parameters of a request; throws RequestInvalid with all problems at once (specification "Validation errors"). A query parameter
 * that the route does not have is ignored.
 */
export function parseRequest<Params, Query>(
  { params, query, check }: RequestSchemas<Params, Query>,
  { params: givenParams = {}, query: givenQuery = {} }: GivenRequest,
): { readonly params: Params; readonly query: Query } {
  // An empty id is none: /v1/models/ is as unknown as /v1/scores/.
  if (Object.values(givenParams ?? {}).includes('')) throw noSuchRoute();
  const [path, search] = [parsePart(params, givenParams, 'path'), parsePart(query, givenQuery, 'query')];
  const problems = [...problemsOf(path), ...problemsOf(search)];
  const wrong = new Set(problemsOf(search).map(({ loc }) => String(loc[1])));
  const values = 'value' in search ? search.value : rightValues(query, givenQuery, wrong);
  problems.push(...(check?.({ values, wrong }) ?? []));
  if (problems.length > 0 || !('value' in path) || !('value' in search)) throw new RequestInvalid(problems);
  return { params: path.value, query: search.value };
}

function problemsOf(result: ReturnType<typeof parsePart>): readonly RequestProblem[] {
  return 'problems' in result ? result.problems : [];
}

/** The parameters that are right, with defaults, where others are wrong. */
function rightValues<Query>(
  schema: ParametersSchema<Query>,
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
