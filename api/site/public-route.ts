import type { Awaitable } from '../../runtime/awaitable.ts';
import type { Day } from '../../runtime/day.ts';
import { effectiveTerms, NO_BONUS, NO_SUBSCRIPTION } from '../accounts/organizations/terms.ts';
import type { Capability } from '../data/access/rights.ts';
import type { Exports } from '../data/exports/exports.ts';
import type { DataResponses } from '../data/responses/data-responses.ts';
import type { DataRoute, JsonObject } from '../data/responses/data-route.ts';
import type { HttpError, RequestInvalid } from '../server/errors/http-error.ts';
import { parseRequest, type RequestSchemas, schemasOf } from '../server/parse-request.ts';
import type { ResponseHeaders } from '../server/response-headers.ts';
import type { GivenRequest, Route, RouteArguments } from '../server/route.ts';
import type { View } from '../view/view.ts';

/** Rejects as the route does. */
export type FetchPublic = <Params, Query, Body extends JsonObject>(
  route: DataRoute<Params, Query, Body>,
  args: RouteArguments<Params, Query>,
) => Promise<Body>;

export interface PublicContext {
  readonly view: View;
  readonly exports: Exports;
  /** Gets API responses with the rights of Community. */
  readonly fetchRoute: FetchPublic;
  /** Whether a capability is live for everybody. */
  readonly isLive: (capability: Capability) => boolean;
  readonly now: Date;
  readonly today: Day;
  /** `scheme://host/prefix` of this service. */
  readonly baseUrl: string;
}

/** Replaces the error envelope for clients that don't read it. */
export interface PublicRefusal {
  readonly status: number;
  readonly body: string;
}

export interface PublicRouteDescription {
  /** Below the base path, such as `/badges/models/:file`. */
  readonly path: `/${string}`;
  /** `Content-Type` of the response. */
  readonly type: string;
  /** Default: none; all but exports also need `embeds`. */
  readonly capability?: Capability;
  /** For the OpenAPI document; routes without it are left out. */
  readonly operation?: { readonly operationId: string; readonly summary: string };
  /** For the OpenAPI document: descriptions of headers by name. */
  readonly documentedHeaders?: Readonly<Record<string, string>>;
  /** Further headers. */
  readonly headers?: ResponseHeaders;
  /** The route's form of an error; undefined: the error envelope. */
  readonly refuse?: (error: HttpError | RequestInvalid, request: GivenRequest) => Awaitable<PublicRefusal | undefined>;
}

export interface PublicRouteDefinition<Params, Query> extends PublicRouteDescription {
  /** Default: none. */
  readonly params?: RequestSchemas<Params, Query>['params'];
  /** Default: none. */
  readonly query?: RequestSchemas<Params, Query>['query'];
  /** Rejects with HttpError or RequestInvalid. Must depend only on request, view, day and base URL. */
  readonly response: (
    request: { readonly params: Params; readonly query: Query },
    context: PublicContext,
  ) => Promise<string>;
}

export interface PublicRoute<Params = unknown, Query = unknown>
  extends Route<PublicContext, Params, Query>,
    PublicRouteDescription {}

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
      const parsed = parseRequest(schemas, request);
      // In the order of the schemas, whatever the URL's.
      return { effective: [parsed.params, parsed.query], cached: (context) => response(parsed, context) };
    },
  };
}

/** With the terms of Community (specification "Without a key"), at no cost of quota. */
export function publicFetcher(answers: DataResponses, now: Date): FetchPublic {
  return async (route, args) => {
    const { plan, historyMonths, snapshots } = effectiveTerms(NO_SUBSCRIPTION, NO_BONUS, now);
    const { body } = await answers.fetch(route, args, { caller: { rights: { plan, historyMonths, snapshots } } });
    return body;
  };
}
