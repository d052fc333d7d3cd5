import type { JsonSchema } from '../../data/openapi/operation.ts';
import type { DataRoute } from '../../data/responses/data-route.ts';
import { RequestInvalid, type RequestProblem } from '../../server/errors/http-error.ts';
import type { RouteArguments } from '../../server/route.ts';
import { argumentProblem, type Body, type Exchange, type RouteBody } from '../exchange.ts';
import { rowsOf } from '../table.ts';
import { type Found, fits, type Telling, TOKENS_MAX, tokensOf } from '../told.ts';
import { type ArgumentWords, inputSchemaOf, outputSchemaOf, type Tool } from './tool.ts';

export interface RouteToolDefinition extends Pick<Tool, 'name' | 'title' | 'description'>, ArgumentWords {
  readonly route: DataRoute;
  /** Arguments that count as given where they are not; default: what the route takes them for. */
  readonly defaults?: Readonly<Record<string, string>>;
  /** Arguments that the route has not, as JSON Schemas, which `prepare` turns into those that it has; default: none. */
  readonly more?: Readonly<Record<string, JsonSchema>>;
  readonly prepare?: (args: Body, exchange: Exchange) => Promise<Body>;
  /** Asks for more where nothing was found, so that the text can say what there is. */
  readonly hint?: (found: RouteBody, exchange: Exchange) => Promise<string | undefined>;
  /** What is told in place of an error; default: the error. */
  readonly explain?: (error: unknown, exchange: Exchange) => Promise<unknown>;
  /** The list in the body that makes it large. */
  readonly rows?: string;
  /** The text; where rows were cut it says how to get them. */
  readonly text: (telling: Telling) => string;
}

/** A tool that asks one route, for one unit, and finds exactly what the route answers. */
export function routeTool(definition: RouteToolDefinition): Tool {
  const {
    route,
    left = [],
    words = {},
    defaults = {},
    more = {},
    prepare,
    hint,
    explain,
    rows,
    text,
    ...told
  } = definition;
  const ofRoute = inputSchemaOf(route, { left, words });
  const inputSchema = { ...ofRoute, properties: { ...Object(ofRoute['properties']), ...more } };
  const names = Object.keys(Object(inputSchema['properties']));
  return {
    ...told,
    access: route.access,
    inputSchema,
    outputSchema: outputSchemaOf(route.response),
    call: async (args, exchange) => {
      assertKnownArguments(args, names);
      const prepared = prepare === undefined ? args : await prepare(args, exchange);
      const request = requestFrom({ ...defaults, ...prepared }, route);
      const whole = await exchange.ask(route, request).catch(async (error: unknown) => {
        throw (await explain?.(error, exchange)) ?? error;
      });
      const hinted = await hint?.(whole, exchange);
      const found = foundFrom({ ...whole, cut: 0, hint: hinted }, text);
      if (rows === undefined || fits(found, whole.characters)) return found;
      return 'limit' in route.query.shape
        ? askForLess({ route, request, rows, text }, { found, exchange })
        : cutRows({ whole, rows, text }, found);
    },
  };
}

/** What a route is asked, whichever it is. */
type RouteRequest = RouteArguments<unknown, unknown>;

type Text = RouteToolDefinition['text'];

function foundFrom(telling: Telling, text: Text): Found {
  return { text: text(telling), body: telling.body };
}

/** Arguments as the route takes parameters: text; null is none. */
function requestFrom(args: Body, route: DataRoute): RouteRequest {
  const given = Object.entries(args).filter(([, value]) => value !== null && value !== undefined);
  const texts = Object.fromEntries(
    given.map(([name, value]) => [name, ['number', 'boolean'].includes(typeof value) ? String(value) : value]),
  );
  const inPath = (name: string) => name in route.params.shape;
  const part = (isIn: (name: string) => boolean) =>
    Object.fromEntries(Object.entries(texts).filter(([name]) => isIn(name)));
  return { params: part(inPath), query: part((name) => !inPath(name)) };
}

/** Throws RequestInvalid where an argument has a name that the tool doesn't know: to ignore it would answer another question. */
export function assertKnownArguments(args: Body, names: readonly string[]): void {
  const problems: RequestProblem[] = Object.entries(args)
    .filter(([name]) => !names.includes(name))
    .map(([name, input]) => {
      const msg = `There is no such argument; there are ${names.join(', ') || 'none'}`;
      return argumentProblem(name, input, { msg, type: 'extra_forbidden' });
    });
  if (problems.length > 0) throw new RequestInvalid(problems);
}

interface Asked extends Required<Pick<RouteToolDefinition, 'route' | 'rows' | 'text'>> {
  readonly request: RouteRequest;
}

/** Asks for a shorter page, so that its cursor goes on where it ends; it is still the one answer that was paid for. */
async function askForLess(
  { route, request, rows, text }: Asked,
  { found, exchange }: { readonly found: Found; readonly exchange: Exchange },
): Promise<Found> {
  const wanted = rowsOf(found.body, rows).length;
  let shorter = found;
  for (let limit = wanted; limit > 1 && !fits(shorter); ) {
    limit = fewer(limit, shorter);
    const page = await exchange.askAgain(route, { ...request, query: { ...request.query, limit: String(limit) } });
    shorter = foundFrom({ ...page, cut: wanted - rowsOf(page.body, rows).length }, text);
  }
  return shorter;
}

/** Keeps the first rows, of an answer that has no pages. Rows of one date stay together, where they have one. */
function cutRows(
  { whole, rows, text }: Pick<Asked, 'rows' | 'text'> & { readonly whole: RouteBody },
  found: Found,
): Found {
  const all = rowsOf(whole.body, rows);
  let shorter = found;
  for (let kept = all.length; kept > 1 && !fits(shorter); ) {
    kept = fewer(kept, shorter);
    const date = all[kept]?.['date'];
    const firstOfDate = date === undefined ? kept : all.findIndex((row) => row['date'] === date);
    const list = all.slice(0, firstOfDate > 0 ? firstOfDate : kept);
    shorter = foundFrom({ ...whole, body: { ...whole.body, [rows]: list }, cut: all.length - list.length }, text);
  }
  return shorter;
}

/** How many rows may fit, with a little room; always fewer than before. */
function fewer(rows: number, found: Found): number {
  return Math.max(1, Math.min(rows - 1, Math.floor((rows * TOKENS_MAX * 0.95) / tokensOf(found))));
}
