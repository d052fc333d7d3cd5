import type { z } from 'zod';
import { noSuchRoute } from '../../http/errors/error-answer.ts';
import { parsePart, RequestInvalid, type RequestProblem } from '../../http/errors/validation.ts';

/** What a request's parameters must be. */
export interface RequestSchemas<Params, Query> {
  readonly params: z.ZodObject & z.ZodType<Params>;
  readonly query: z.ZodObject & z.ZodType<Query>;
  /** Finds what is wrong with parameters that are right one by one. */
  readonly check?: ((query: CheckedQuery<Query>) => readonly RequestProblem[]) | undefined;
}

/** Query parameters of which some may be wrong: those are left out of `values` and named in `wrong`. */
export interface CheckedQuery<Query> {
  readonly values: Partial<Query>;
  readonly wrong: ReadonlySet<string>;
}

/** What a request gives a data route. */
export interface GivenRequest {
  /** By name, as text; default: none. */
  readonly params?: unknown;
  /** By name, as text, or as a list where it is given more than once; default: none. */
  readonly query?: unknown;
  readonly headers?: GivenHeaders;
}

/** The headers that a data route heeds. */
export interface GivenHeaders {
  readonly 'if-none-match'?: string | undefined;
  readonly 'if-modified-since'?: string | undefined;
  readonly 'idempotency-key'?: string | readonly string[] | undefined;
}

/** The parameters of a request; throws RequestInvalid with all problems at once (specification "Validation errors"). */
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

/** Longest `Idempotency-Key`, in characters (specification "Idempotency-Key"). */
const IDEMPOTENCY_KEY_LENGTH_MAX = 128;

/** What is wrong with the `Idempotency-Key` of a request; none is fine. */
export function findHeaderProblems({ headers }: Pick<GivenRequest, 'headers'>): readonly RequestProblem[] {
  const key = idempotencyKeyOf(headers);
  if (key === undefined) return [];
  const told = { loc: ['header', 'Idempotency-Key'], input: key };
  const max = IDEMPOTENCY_KEY_LENGTH_MAX;
  if (key === '') {
    return [
      { ...told, msg: 'String should have at least 1 character', type: 'string_too_short', ctx: { min_length: 1 } },
    ];
  }
  if (key.length <= max) return [];
  const msg = `String should have at most ${max} characters`;
  return [{ ...told, msg, type: 'string_too_long', ctx: { max_length: max } }];
}

/** Node joins what is sent twice with a comma, so there is no list. */
export function idempotencyKeyOf(headers: GivenHeaders | undefined): string | undefined {
  const key = headers?.['idempotency-key'];
  return typeof key === 'string' ? key : undefined;
}
