import type { JsonSchema } from '../../data/openapi/operation.ts';
import type { DataRoute, JsonRoute } from '../../data/responses/data-route.ts';
import { HttpError, RequestInvalid, type RequestProblem } from '../../server/errors/http-error.ts';
import type { RouteArguments } from '../../server/route.ts';
import { argumentProblem, type Body, type Exchange, type RouteBody } from '../exchange.ts';
import { rowsOf } from '../table.ts';
import { type Found, fits, type TextInput, TOKENS_MAX, tokensOf } from '../tool-text.ts';
import { type ArgumentOptions, argumentName, inputSchemaOf, outputSchemaOf, type Tool } from './tool.ts';

export interface RouteToolDefinition extends Pick<Tool, 'name' | 'title' | 'description'>, ArgumentOptions {
  readonly route: JsonRoute;
  /** Values of missing arguments; default: the route's. */
  readonly defaults?: Readonly<Record<string, string>>;
  /** Schemas of arguments that `prepare` turns into the route's; default: none. */
  readonly more?: Readonly<Record<string, JsonSchema>>;
  /** Those of `more` that are required; default: none. */
  readonly needed?: readonly string[];
  readonly prepare?: (args: Body, exchange: Exchange) => Promise<Body>;
  /** Looks up existing values if nothing was found. */
  readonly hint?: (found: RouteBody, exchange: Exchange) => Promise<string | undefined>;
  /** Replaces an error; undefined: keeps it. */
  readonly explain?: (error: unknown, exchange: Exchange) => Promise<unknown>;
  /** The list of the body to cut if the response is too long. */
  readonly rows?: string;
  /** Must say how to get rows that were cut. */
  readonly text: (input: TextInput) => string;
}

/** A tool that calls one route, for one unit, and returns its body. */
export function routeTool(definition: RouteToolDefinition): Tool {
  const {
    route,
    omitted = [],
    descriptions = {},
    defaults = {},
    more = {},
    needed = [],
    prepare,
    hint,
    explain,
    rows,
    text,
    ...described
  } = definition;
  const ofRoute = inputSchemaOf(route, { omitted, descriptions });
  const required = [...(Object(ofRoute)['required'] ?? []), ...needed];
  const inputSchema = {
    ...ofRoute,
    properties: { ...Object(ofRoute['properties']), ...more },
    ...(required.length === 0 ? {} : { required }),
  };
  const names = Object.keys(Object(inputSchema['properties']));
  return {
    ...described,
    access: route.access,
    inputSchema,
    outputSchema: outputSchemaOf(route.response),
    call: async (args, exchange) => {
      assertKnownArguments(args, names);
      const prepared = prepare === undefined ? args : await prepare(args, exchange);
      const request = requestFrom({ ...defaults, ...prepared }, route);
      const whole = await exchange.fetch(route, request).catch(async (error: unknown) => {
        throw withArgumentNames((await explain?.(error, exchange)) ?? error);
      });
      const hinted = await hint?.(whole, exchange);
      const found = foundFrom({ ...whole, cut: 0, hint: hinted }, text);
      if (rows === undefined || fits(found, whole.characters)) return found;
      return 'limit' in route.query.shape
        ? fetchShorterPage({ route, request, rows, text }, { found, exchange })
        : cutRows({ whole, rows, text }, found);
    },
  };
}

type RouteRequest = RouteArguments<unknown, unknown>;

type Text = RouteToolDefinition['text'];

function foundFrom(input: TextInput, text: Text): Found {
  return { text: text(input), body: input.body };
}

/** Names parameters as arguments in a refusal. */
function withArgumentNames(error: unknown): unknown {
  if (error instanceof RequestInvalid) {
    return new RequestInvalid(
      error.detail.map((problem) => ({
        ...problem,
        loc: problem.loc.map((part) => (typeof part === 'string' ? argumentName(part) : part)),
      })),
    );
  }
  const param = error instanceof HttpError ? error.options.param : undefined;
  if (!(error instanceof HttpError) || typeof param !== 'string' || argumentName(param) === param) return error;
  return new HttpError(error, error.message, { ...error.options, param: argumentName(param) });
}

/** Arguments as text parameters; null means missing. */
function requestFrom(args: Body, route: DataRoute): RouteRequest {
  const given = Object.entries(args).filter(([, value]) => value !== null && value !== undefined);
  const parameters = Object.keys({ ...route.params.shape, ...route.query.shape });
  const parameterOf = (name: string) => parameters.find((parameter) => argumentName(parameter) === name) ?? name;
  const texts = Object.fromEntries(
    given.map(([name, value]) => [
      parameterOf(name),
      ['number', 'boolean'].includes(typeof value) ? String(value) : value,
    ]),
  );
  const inPath = (name: string) => name in route.params.shape;
  const part = (isIn: (name: string) => boolean) =>
    Object.fromEntries(Object.entries(texts).filter(([name]) => isIn(name)));
  return { params: part(inPath), query: part((name) => !inPath(name)) };
}

/** Throws RequestInvalid: ignoring an unknown argument would answer another question. */
export function assertKnownArguments(args: Body, names: readonly string[]): void {
  const problems: RequestProblem[] = Object.entries(args)
    .filter(([name]) => !names.includes(name))
    .map(([name, input]) => {
      const msg = `Unknown argument; the known ones are ${names.join(', ') || 'none'}`;
      return argumentProblem(name, input, { msg, type: 'extra_forbidden' });
    });
  if (problems.length > 0) throw new RequestInvalid(problems);
}

interface PageRequest extends Required<Pick<RouteToolDefinition, 'route' | 'rows' | 'text'>> {
  readonly request: RouteRequest;
}

/** A shorter page has a cursor that matches its end. Costs no further unit. */
async function fetchShorterPage(
  { route, request, rows, text }: PageRequest,
  { found, exchange }: { readonly found: Found; readonly exchange: Exchange },
): Promise<Found> {
  const requested = rowsOf(found.body, rows).length;
  let shorter = found;
  for (let limit = requested; limit > 1 && !fits(shorter); ) {
    limit = fewer(limit, shorter);
    const page = await exchange.fetchFree(route, { ...request, query: { ...request.query, limit: String(limit) } });
    shorter = foundFrom({ ...page, cut: requested - rowsOf(page.body, rows).length }, text);
  }
  return shorter;
}

/** Keeps rows of one date together. */
function cutRows(
  { whole, rows, text }: Pick<PageRequest, 'rows' | 'text'> & { readonly whole: RouteBody },
  found: Found,
): Found {
  const all = rowsOf(whole.body, rows);
  let shorter = found;
  for (let count = all.length; count > 1 && !fits(shorter); ) {
    count = fewer(count, shorter);
    const date = all[count]?.['date'];
    const firstOfDate = date === undefined ? count : all.findIndex((row) => row['date'] === date);
    const list = all.slice(0, firstOfDate > 0 ? firstOfDate : count);
    shorter = foundFrom({ ...whole, body: { ...whole.body, [rows]: list }, cut: all.length - list.length }, text);
  }
  return shorter;
}

function fewer(rows: number, found: Found): number {
  return Math.max(1, Math.min(rows - 1, Math.floor((rows * TOKENS_MAX * 0.95) / tokensOf(found))));
}
