/**
 * How every data route is answered (DESIGN §7 "Order of checks"), in this order:
 *
 * validation (422) → the effective request → conditional (304) → quota (429) → cache → query.
 *
 * An answer depends on nothing but the view's version and the effective request: the request after defaults and after the
 * plan's clamp. So the ETag is the hash of the two, a match costs no query, and two keys with the same rights share it.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { dayFromDate } from '../schemas/day.ts';
import type { Feature } from '../schemas/plans.ts';
import type { RecordVersion } from '../schemas/record-version.ts';
import { sha256 } from '../storage/hash.ts';
import type { RouteAccess } from './access/access-control.ts';
import type { AnswerCache } from './answer-cache.ts';
import { findMatchingEtag, isUnchangedSince } from './conditional.ts';
import type { AnyDataRoute, DataCapability, DataRoute, RequestContext, SignUrl, SpecialAnswer } from './data-route.ts';
import { EffectiveRequests } from './effective-requests.ts';
import { findHeaderProblems } from './idempotency-key.ts';
import { type CheckedQuery, parseRequest } from './parse-request.ts';
import type { Rights } from './rights.ts';
import type { View } from './view/view.ts';

/** What a plan must include for the routes of a capability (SPEC "Authentication" rule 6). */
const FEATURES: Readonly<Record<DataCapability, Feature | null>> = {
  current: null,
  history: 'history',
  snapshots: 'snapshots',
  changes: 'incremental',
};

export interface DataRouteDeps {
  readonly views: { current(): View };
  readonly versions: readonly RecordVersion[];
  readonly clock: () => Date;
  readonly cache: AnswerCache;
  readonly rightsOf: (request: FastifyRequest) => Rights;
  readonly baseUrlOf: (request: FastifyRequest) => string;
  /** As {@link RequestContext.signUrl}; a URL that begins with a slash is below the base URL. */
  readonly signUrl: SignUrl;
  /** Takes a unit of the daily quota; rejects with `quota_exceeded`. */
  readonly takeUnit: (request: FastifyRequest) => Promise<void>;
}

/** Adds a data route to the app. */
export function addDataRoute<P, Q, E>(app: FastifyInstance, route: DataRoute<P, Q, E>, deps: DataRouteDeps): void {
  const understood = new EffectiveRequests<E>();
  app.get(route.path, { config: { access: accessOf(route) } }, async (request, reply) => {
    const view = deps.views.current();
    const release = view.lease();
    try {
      return await respond({ route, understood, view, request, reply }, deps);
    } finally {
      release();
    }
  });
}

/** What the route asks of its callers. */
function accessOf({ path, capability }: AnyDataRoute): RouteAccess {
  return { route: path.replaceAll(/:(\w+)/g, '{$1}'), capability, feature: FEATURES[capability] };
}

interface Exchange<P, Q, E> {
  readonly route: DataRoute<P, Q, E>;
  readonly understood: EffectiveRequests<E>;
  readonly view: View;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

async function respond<P, Q, E>(exchange: Exchange<P, Q, E>, deps: DataRouteDeps): Promise<FastifyReply> {
  const { route, request, reply, view } = exchange;
  reply.header('X-Data-As-Of', view.newest.data_as_of);
  const context = contextOf(exchange, deps);
  if (route.answerOnce !== undefined) {
    const effective = prepare(exchange, context);
    return sendOnce(exchange, await route.answerOnce(effective, context), { deps, modifiedAt: context.now });
  }
  const { effective, etag, modifiedAt, headers } = understand(exchange, context);
  const { 'if-none-match': ifNoneMatch, 'if-modified-since': ifModifiedSince } = request.headers;
  const matching = findMatchingEtag(ifNoneMatch, etag);
  // The tag that the caller has: that of a compressed answer names the compressed one.
  if (matching !== undefined)
    return reply
      .code(304)
      .headers({ ...headers, ETag: matching })
      .send();
  const load = async () => (await route.answer?.(effective, context)) ?? '';
  if (ifNoneMatch === '*' || (ifNoneMatch === undefined && isUnchangedSince(ifModifiedSince, modifiedAt))) {
    // These name no answer they have, so it must be one that could be had; it costs no unit either way.
    await deps.cache.get(etag, load);
    return reply.code(304).headers(headers).send();
  }
  await deps.takeUnit(request);
  const { body, isHit } = await deps.cache.get(etag, load);
  return reply
    .headers({ ...headers, 'X-Cache': isHit ? 'HIT' : 'MISS' })
    .type(JSON_TYPE)
    .send(body);
}

/** The effective request, with the entity tag and the headers of its answer. */
function understand<P, Q, E>(exchange: Exchange<P, Q, E>, context: RequestContext) {
  const { route, understood, request, view } = exchange;
  const { rights, today } = context;
  const load = () => {
    const effective = prepare(exchange, context);
    const etag = sha256(JSON.stringify([view.version, route.path, effective])).slice(0, ETAG_LENGTH);
    const modifiedAt = lastModified(route, context);
    return { effective, etag, modifiedAt, headers: conditionalHeaders(route, etag, modifiedAt) };
  };
  // A wrong header belongs to this request alone, and is told together with what else is wrong.
  if (findHeaderProblems(request).length > 0) return load();
  return understood.get([view.version, today, JSON.stringify(rights), request.url], load);
}

function prepare<P, Q, E>({ route, request }: Exchange<P, Q, E>, context: RequestContext): E {
  const { params, query } = route;
  const check = (checked: CheckedQuery<Q>) => [
    ...(route.check?.(checked, context) ?? []),
    ...findHeaderProblems(request),
  ];
  return route.prepare(parseRequest({ params, query, check }, request), context);
}

export const JSON_TYPE = 'application/json; charset=utf-8';
const ETAG_LENGTH = 32;

function contextOf<P, Q, E>({ view, request }: Exchange<P, Q, E>, deps: DataRouteDeps): RequestContext {
  const now = deps.clock();
  const baseUrl = deps.baseUrlOf(request);
  const signUrl: SignUrl = async (key, options) => {
    const url = await deps.signUrl(key, options);
    return url.startsWith('/') ? baseUrl + url : url;
  };
  const { versions } = deps;
  return { view, versions, rights: deps.rightsOf(request), now, today: dayFromDate(now), baseUrl, signUrl };
}

function conditionalHeaders<P, Q, E>({ cacheControl }: DataRoute<P, Q, E>, etag: string, modifiedAt: Date) {
  return {
    ETag: `"${etag}"`,
    'Last-Modified': modifiedAt.toUTCString(),
    'Cache-Control': cacheControl,
    // Also where an answer is too small to compress: caches learn it from whichever comes first.
    Vary: 'Authorization, accept-encoding',
  };
}

/** Sends what is different each time; its entity tag is that of the very body. */
async function sendOnce<P, Q, E>(
  { route, request, reply }: Exchange<P, Q, E>,
  { status, headers, body }: SpecialAnswer,
  { deps, modifiedAt }: { readonly deps: DataRouteDeps; readonly modifiedAt: Date },
): Promise<FastifyReply> {
  const etag = sha256(body).slice(0, ETAG_LENGTH);
  const all = { ...conditionalHeaders(route, etag, modifiedAt), ...headers };
  if (findMatchingEtag(request.headers['if-none-match'], etag) !== undefined) {
    return reply.code(304).headers(all).send();
  }
  await deps.takeUnit(request);
  return reply
    .code(status)
    .headers({ ...all, 'X-Cache': 'BYPASS' })
    .type(JSON_TYPE)
    .send(body);
}

/** When the answer last changed: with the release or a backfill, or at midnight where it depends on the day. */
function lastModified<P, Q, E>(route: DataRoute<P, Q, E>, { view, today }: RequestContext): Date {
  const midnight = route.dependsOnToday ? Date.parse(`${today}T00:00:00Z`) : 0;
  return new Date(Math.max(view.changedAt.getTime(), midnight));
}
