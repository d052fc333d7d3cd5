import type { Day } from '../../runtime/day.ts';
import { effectiveTerms, NO_BONUS, NO_SUBSCRIPTION } from '../accounts/organizations/terms.ts';
import type { Capability } from '../data/access/rights.ts';
import type { DataResponses } from '../data/responses/data-responses.ts';
import type { DataRoute, JsonObject } from '../data/responses/data-route.ts';
import type { HttpError, RequestInvalid } from '../server/errors/http-error.ts';
import { parseRequest, type RequestSchemas, schemasOf } from '../server/parse-request.ts';
import type { ResponseHeaders } from '../server/response-headers.ts';
import type { GivenRequest, Route, RouteArguments } from '../server/route.ts';
import type { View } from '../view/view.ts';

/** Asks a route of the API for the body that it describes. Rejects with what the route rejects with. */
export type AskPublic = <Params, Query, Body extends JsonObject>(
  route: DataRoute<Params, Query, Body>,
  question: RouteArguments<Params, Query>,
) => Promise<Body>;

/** What an answer without a key may be made of. */
export interface PublicContext {
  readonly view: View;
  /** The answers of the API, as an organization on Community gets them. */
  readonly ask: AskPublic;
  /** Whether a capability is there for everybody. */
  readonly isLive: (capability: Capability) => boolean;
  readonly now: Date;
  readonly today: Day;
  /** `scheme://host/prefix` of this service, before its own addresses. */
  readonly baseUrl: string;
}

/** What is sent in place of the error envelope, where a route answers programs that don't read it. */
export interface PublicRefusal {
  readonly status: number;
  readonly body: string;
}

/** What a route says about itself, whatever its parameters are. */
export interface PublicRouteDescription {
  /** The pattern below the base path, such as `/badges/models/:file`. */
  readonly path: `/${string}`;
  /** `Content-Type` of its answers. */
  readonly type: string;
  /** What the OpenAPI document says of it: what it answers, in a few words, and what programs call it. One without is not in there. */
  readonly operation?: { readonly operationId: string; readonly summary: string };
  /** What its answers have besides; default: nothing. */
  readonly headers?: ResponseHeaders;
  /** An error as this route tells it; undefined, or left out: as the error envelope. */
  readonly refuse?: (error: HttpError | RequestInvalid, request: GivenRequest) => PublicRefusal | undefined;
}

/** A route as it is written down. */
export interface PublicRouteDefinition<Params, Query> extends PublicRouteDescription {
  /** Default: none. */
  readonly params?: RequestSchemas<Params, Query>['params'];
  /** Default: none. */
  readonly query?: RequestSchemas<Params, Query>['query'];
  /** The body. Rejects with HttpError or RequestInvalid. Depends on nothing but the request and the view, the day and the base URL. */
  readonly response: (
    request: { readonly params: Params; readonly query: Query },
    context: PublicContext,
  ) => Promise<string>;
}

/** A route for everybody. */
export interface PublicRoute<Params = unknown, Query = unknown>
  extends Route<PublicContext, Params, Query>,
    PublicRouteDescription {}

/** Makes a route of its definition. */
export function publicRoute<P, Q>({
  params,
  query,
  response,
  ...description
}: PublicRouteDefinition<P, Q>): PublicRoute<P, Q> {
  const schemas = schemasOf<P, Q>({ ...(params && { params }), ...(query && { query }) });
  return {
    ...description,
    ...schemas,
    read: (request) => {
      const asked = parseRequest(schemas, request);
      // What is parsed has its parameters in the order of the schemas, however a URL has them.
      return { effective: [asked.params, asked.query], cached: (context) => response(asked, context) };
    },
  };
}

/** Asks on the terms of Community, which anybody has (specification "Without a key"). Nobody's quota is charged. */
export function askAsAnybody(answers: DataResponses, now: Date): AskPublic {
  return async (route, question) => {
    const { plan, historyMonths, snapshots } = effectiveTerms(NO_SUBSCRIPTION, NO_BONUS, now);
    const { body } = await answers.fetch(route, question, { caller: { rights: { plan, historyMonths, snapshots } } });
    return body;
  };
}
