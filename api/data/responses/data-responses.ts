/**
 * Responses of the data routes for all surfaces: API, console, public pages, MCP. Callers with the same rights share
 * cached responses (api/server/responder.ts).
 */

import { createDayReader } from '../../../runtime/day.ts';
import type { RecordVersion } from '../../../schemas/record-version.ts';
import { sha256 } from '../../../storage/hash.ts';
import type { UnitFor } from '../../accounts/limits/quota.ts';
import { Responder, type RouteResponse } from '../../server/responder.ts';
import { wholeOf } from '../../server/response-body.ts';
import { ResponseCache } from '../../server/response-cache.ts';
import type { ResponseHeaders } from '../../server/response-headers.ts';
import type { GivenRequest, RouteArguments } from '../../server/route.ts';
import type { View } from '../../view/view.ts';
import { RESPONSE_FORMAT } from '../../view/view-meta.ts';
import { type Rights, rightsTag } from '../access/rights.ts';
import type { Exports } from '../exports/exports.ts';
import type { ResponseSettings } from '../settings.ts';
import {
  type DataContext,
  type DataRoute,
  findHeaderProblems,
  idempotencyKeyOf,
  type JsonObject,
  type SignUrl,
} from './data-route.ts';

export interface ResponseDeps {
  readonly views: { current(): View };
  readonly versions: readonly RecordVersion[];
  readonly clock: () => Date;
  /** As {@link DataContext.signUrl}; a URL with a leading slash is below the request's base URL. */
  readonly signUrl: SignUrl;
  readonly settings: ResponseSettings;
  readonly exports: Exports;
}

/** A request, independent of the HTTP server. */
export interface DataRequest extends GivenRequest {
  /** Cache key of parsing: equal keys must mean equal parameters. Default: built from the parameters. */
  readonly key?: string;
  /** `scheme://host/prefix` for URLs of this service; default: none. */
  readonly baseUrl?: string | (() => string) | undefined;
  /** Whether a cached body may be gzip; default: no. */
  readonly mayPack?: boolean;
  /** Called before anything else, also if the response is an error. */
  readonly onRelease?: (release: { readonly data_as_of: string }) => void;
}

/** An admitted request, or rights alone where no quota is counted. */
export interface DataCaller {
  readonly rights: Rights;
  /** Reserves a unit of the daily quota; rejects with `quota_exceeded`. */
  takeUnit?(unitFor: UnitFor | undefined): Promise<void>;
}

/** A response for callers inside the process. */
export interface ParsedResponse<Body> {
  readonly body: Body;
  readonly characters: number;
  /** The point in time that it reflects. */
  readonly dataAsOf: string | undefined;
}

export const JSON_TYPE = 'application/json; charset=utf-8';

/** Serves the data routes from the current view. Independent of the HTTP server. */
export class DataResponses {
  readonly #deps: ResponseDeps;
  readonly #responder: Responder<DataContext, DataRoute>;
  readonly #dayOf = createDayReader();

  constructor(deps: ResponseDeps) {
    this.#deps = deps;
    const { cacheBytes, compressFromBytes } = deps.settings;
    const cache = new ResponseCache(cacheBytes);
    this.#responder = new Responder({ cache, compressFromBytes, headersOf, format: RESPONSE_FORMAT });
  }

  /** Rejects with ApiError, RequestInvalid or AppError. Leases the view until it resolves. */
  async respond(route: DataRoute, request: DataRequest, caller: DataCaller): Promise<RouteResponse> {
    const view = this.#deps.views.current();
    const release = view.lease();
    try {
      request.onRelease?.(view.newest);
      const now = this.#deps.clock();
      const { rights } = caller;
      const { versions, settings, exports } = this.#deps;
      const today = this.#dayOf(now);
      const signUrl = this.#signUrlFor(request);
      const isSound = findHeaderProblems(request).length === 0;
      return await this.#responder.respond(route, {
        request,
        context: { view, rights, versions, now, today, settings, signUrl, exports },
        now,
        scope: `${view.version}\n${today}\n${rightsTag(rights)}`,
        // With invalid headers the request is parsed anew, to report all its problems together.
        key: isSound ? (request.key ?? JSON.stringify([request.params, request.query])) : undefined,
        mayPack: request.mayPack === true,
        charge: (effective) => takeUnit(caller, route, { request, effective }),
      });
    } finally {
      release();
    }
  }

  /** Calls a route from inside the process; rejects with the route's refusals. */
  async fetch<Params, Query, Body extends JsonObject>(
    route: DataRoute<Params, Query, Body>,
    { params, query = {} }: RouteArguments<Params, Query>,
    { caller, baseUrl }: { readonly caller: DataCaller; readonly baseUrl?: string | undefined },
  ): Promise<ParsedResponse<Body>> {
    const given = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));
    const { body, headers } = await this.respond(route, { params, query: given, baseUrl }, caller);
    const json = String(wholeOf(body ?? ''));
    // The only place that parses a response; tests check every route's schema.
    return { body: JSON.parse(json) as Body, characters: json.length, dataAsOf: headers['X-Data-As-Of'] };
  }

  #signUrlFor(request: DataRequest): SignUrl {
    return async (key, options) => {
      const url = await this.#deps.signUrl(key, options);
      if (!url.startsWith('/')) return url;
      const { baseUrl = '' } = request;
      return (typeof baseUrl === 'string' ? baseUrl : baseUrl()) + url;
    };
  }
}

function headersOf({ cacheControl, type = JSON_TYPE }: DataRoute, { view }: DataContext): ResponseHeaders {
  return {
    'X-Data-As-Of': view.newest.data_as_of,
    'Cache-Control': cacheControl,
    // Also on responses too small to compress: caches go by the first response they get.
    Vary: 'Authorization, accept-encoding',
    'Content-Type': type,
  };
}

/**
 * Charges one unit, unless the route is free. An Idempotency-Key is bound to the effective request, whatever the
 * release (specification "Idempotency-Key").
 */
async function takeUnit(
  caller: DataCaller,
  { isFree, path }: DataRoute,
  { request, effective }: { readonly request: DataRequest; readonly effective: unknown },
): Promise<void> {
  if (isFree === true) return;
  const idempotencyKey = idempotencyKeyOf(request.headers);
  await caller.takeUnit?.(
    idempotencyKey === undefined ? undefined : { idempotencyKey, request: sha256(JSON.stringify([path, effective])) },
  );
}
