/**
 * The data routes' answers, whoever asks and however they are brought: over HTTP with a key, on pages of the console and for
 * everybody, as tools. Two keys with the same rights share an answer (api/server/responder.ts says how each is made).
 */

import { createDayReader } from '../../../runtime/day.ts';
import type { RecordVersion } from '../../../schemas/record-version.ts';
import { sha256 } from '../../../storage/hash.ts';
import type { UnitFor } from '../../accounts/limits/quota.ts';
import { Responder, type RouteResponse } from '../../server/responder.ts';
import { ResponseCache } from '../../server/response-cache.ts';
import type { ResponseHeaders } from '../../server/response-headers.ts';
import type { GivenRequest, RouteArguments } from '../../server/route.ts';
import type { View } from '../../view/view.ts';
import { RESPONSE_FORMAT } from '../../view/view-meta.ts';
import { type Rights, rightsTag } from '../access/rights.ts';
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
  /** As {@link DataContext.signUrl}; a URL that begins with a slash is below the request's base URL. */
  readonly signUrl: SignUrl;
  readonly settings: ResponseSettings;
}

/** A request as a data route is asked it: parameters, the headers that matter, and what only some callers know. */
export interface DataRequest extends GivenRequest {
  /** Under which parsing is kept: equal keys must mean equal parameters. Usually the URL; default: made of the parameters. */
  readonly key?: string;
  /** `scheme://host/prefix` of this service, before its own addresses in an answer; default: none. */
  readonly baseUrl?: string | (() => string) | undefined;
  /** Whether a body that is kept may come in gzip, which the headers tell then; default: no. */
  readonly mayPack?: boolean;
  /** Told before anything else from which release the request is answered, also where the answer is an error. */
  readonly onRelease?: (release: { readonly data_as_of: string }) => void;
}

/** On whose behalf a request is answered: an admitted request, or rights alone where nobody counts. */
export interface DataCaller {
  readonly rights: Rights;
  /** Takes a unit of the daily quota; rejects with `quota_exceeded`. */
  takeUnit?(unitFor: UnitFor | undefined): Promise<void>;
}

/** What a route answers with, for whoever asks it from inside. */
export interface ParsedResponse<Body> {
  readonly body: Body;
  /** Of the body as it was sent. */
  readonly characters: number;
  /** The moment that it reflects. */
  readonly dataAsOf: string | undefined;
}

export const JSON_TYPE = 'application/json; charset=utf-8';

/** Answers the data routes from the view in use. Knows no server: a binding hands it what it needs of a request. */
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

  /** Rejects with ApiError, RequestInvalid or AppError where there is no answer. The view stays open until it resolves. */
  async answer(route: DataRoute, request: DataRequest, caller: DataCaller): Promise<RouteResponse> {
    const view = this.#deps.views.current();
    const release = view.lease();
    try {
      request.onRelease?.(view.newest);
      const now = this.#deps.clock();
      const { rights } = caller;
      const { versions, settings } = this.#deps;
      const today = this.#dayOf(now);
      const signUrl = this.#signUrlFor(request);
      const isSound = findHeaderProblems(request).length === 0;
      return await this.#responder.respond(route, {
        request,
        context: { view, rights, versions, now, today, settings, signUrl },
        now,
        scope: `${view.version}\n${today}\n${rightsTag(rights)}`,
        // A wrong header belongs to this request alone, and is told together with what else is wrong.
        key: isSound ? (request.key ?? JSON.stringify([request.params, request.query])) : undefined,
        mayPack: request.mayPack === true,
        charge: (effective) => takeUnit(caller, route, { request, effective }),
      });
    } finally {
      release();
    }
  }

  /** Asks a route from inside; rejects with what it would refuse the same request with. */
  async ask<Params, Query, Body extends JsonObject>(
    route: DataRoute<Params, Query, Body>,
    { params, query = {} }: RouteArguments<Params, Query>,
    { caller, baseUrl }: { readonly caller: DataCaller; readonly baseUrl?: string | undefined },
  ): Promise<ParsedResponse<Body>> {
    const given = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));
    const { body, headers, giveBack } = await this.answer(route, { params, query: given, baseUrl }, caller);
    const json = String(body);
    giveBack?.();
    // The one place where an answer becomes a value again: the API's tests hold every route to its schema.
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

/** What every form of an answer has, but for its tag. */
function headersOf({ cacheControl }: DataRoute, { view }: DataContext): ResponseHeaders {
  return {
    'X-Data-As-Of': view.newest.data_as_of,
    'Cache-Control': cacheControl,
    // Also on answers that are too small to compress: a cache goes by the first answer it sees.
    Vary: 'Authorization, accept-encoding',
    'Content-Type': JSON_TYPE,
  };
}

/**
 * One unit of whoever asks, unless the route is free. An Idempotency-Key is bound to the effective request, whatever the release
 * (specification "Idempotency-Key").
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
