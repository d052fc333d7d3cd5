import { z } from 'zod';
import { noSuchRoute } from './errors/error-response.ts';
import { parsePart, RequestInvalid, type RequestProblem } from './errors/http-error.ts';
import type { GivenRequest, ParametersSchema } from './route.ts';

export interface RequestSchemas<Params, Query> {
  readonly params: ParametersSchema<Params>;
  readonly query: ParametersSchema<Query>;
  /** Checks parameters that are valid one by one. */
  readonly check?: ((query: CheckedQuery<Query>) => readonly RequestProblem[]) | undefined;
}

/** Without parameters the type doesn't matter. */
export function schemasOf<Params, Query>({ params, query }: Partial<RequestSchemas<Params, Query>>) {
  return { params: params ?? NO_PARAMETERS, query: query ?? NO_PARAMETERS } as RequestSchemas<Params, Query>;
}

const NO_PARAMETERS = z.object({});

/** `values` has the valid parameters, `wrong` names the others. */
export interface CheckedQuery<Query> {
  readonly values: Partial<Query>;
  readonly wrong: ReadonlySet<string>;
}

/**
 * Parses a request; throws RequestInvalid with all problems (specification "Validation errors"). Unknown query
 * parameters are ignored.
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

/** The valid parameters and defaults. */
function rightValues<Query>(
  schema: ParametersSchema<Query>,
  given: unknown,
  wrong: ReadonlySet<string>,
): Partial<Query> {
  const right = Object.keys(schema.shape).filter((name) => !wrong.has(name));
  // The shape's own names, which a generic type can't express.
  const mask = Object.fromEntries(right.map((name) => [name, true])) as Record<string, true>;
  const picked = schema.pick(mask);
  const result = parsePart(picked, given, 'query');
  return ('value' in result ? result.value : {}) as Partial<Query>; // Some fields of the same schema.
}
