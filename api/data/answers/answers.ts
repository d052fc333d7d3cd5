/**
 * How every data route is answered, whoever asks and however the answer is brought (specification "Order of checks"):
 *
 * validation (422) → the effective request → conditional (304) → quota (429) → cache → query.
 *
 * An answer depends on nothing but the effective request, which is the request after defaults and after the plan's clamp, and on
 * what its route names as its dependencies. So the ETag is the hash of the two: a match costs no query, two keys with the same
 * rights share it, and it outlasts every release that changes nothing of it (decision 0030).
 */

import { type Awaitable, whenThere } from '../../../runtime/awaitable.ts';
import { dayTeller } from '../../../runtime/day.ts';
import type { RecordVersion } from '../../../schemas/versions/record-version.ts';
import { sha256 } from '../../../storage/hash.ts';
import type { UnitFor } from '../../accounts/quota/quota.ts';
import {
  etagOf,
  etagWithEncoding,
  findMatchingEtag,
  findTagUnchanged,
  isUnchangedSince,
} from '../../server/conditional.ts';
import { gzip } from '../../server/gzip.ts';
import type { View } from '../../view/view.ts';
import { VIEW_FORMAT } from '../../view/view-meta.ts';
import { type Rights, rightsTag } from '../access/rights.ts';
import type { AnswerCache } from './answer-cache.ts';
import type { DataRoute, OnceContext, RequestContext, RouteAnswer, SignUrl } from './data-route.ts';
import { type EffectiveRequest, EffectiveRequests } from './effective-requests.ts';
import { findHeaderProblems, type GivenRequest, idempotencyKeyOf } from './parse-request.ts';

export interface AnswerDeps {
  readonly views: { current(): View };
  readonly versions: readonly RecordVersion[];
  readonly clock: () => Date;
  readonly cache: AnswerCache;
  /** As {@link OnceContext.signUrl}; a URL that begins with a slash is below the request's base URL. */
  readonly signUrl: SignUrl;
  /** Smallest body that is packed where the request says that it may be, in bytes. */
  readonly packFromBytes: number;
}

/** A request as a data route is asked it: parameters, the headers that matter, and what only some callers know. */
export interface DataRequest extends GivenRequest {
  /** Under which parsing is kept: equal keys must mean equal parameters. Usually the URL; default: made of the parameters. */
  readonly key?: string;
  /** `scheme://host/prefix` of this service, before its own addresses in an answer; default: none. */
  readonly baseUrl?: string | undefined;
  /** Whether a body that is kept may come in gzip, which the headers tell then; default: no. */
  readonly mayPack?: boolean;
  /** Told before anything else from which release the request is answered, also where the answer is an error. */
  readonly onRelease?: (release: { readonly data_as_of: string }) => void;
}

/** On whose behalf a request is answered: a `Visit`, or rights alone where nobody counts. */
export interface Asker {
  readonly rights: Rights;
  /** Takes a unit of the daily quota; rejects with `quota_exceeded`. */
  takeUnit?(unitFor: UnitFor | undefined): Promise<void>;
}

/** An answer, to be sent or shown by whoever asked for it. */
export interface Answer {
  readonly status: 200 | 302 | 304;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON in UTF-8, packed where the headers say so; undefined where the caller has it already. */
  readonly body: Buffer | string | undefined;
  /** To be called when the body was sent: its memory may be used again then. Where nobody does, it is collected as any other. */
  readonly giveBack?: () => void;
}

export const JSON_TYPE = 'application/json; charset=utf-8';

/** Answers the data routes from the view in use. Knows no server: a binding hands it what it needs of a request. */
export class Answers {
  readonly #deps: AnswerDeps;
  readonly #dayOf = dayTeller();
  readonly #understood = new Map<DataRoute, EffectiveRequests>();

  constructor(deps: AnswerDeps) {
    this.#deps = deps;
  }

  /** Rejects with ApiError, RequestInvalid or AppError where there is no answer. The view stays open until it resolves. */
  async answer(route: DataRoute, request: DataRequest, asker: Asker): Promise<Answer> {
    const view = this.#deps.views.current();
    const release = view.lease();
    try {
      request.onRelease?.(view.newest);
      const now = this.#deps.clock();
      const { versions } = this.#deps;
      const context = { view, rights: asker.rights, versions, now, today: this.#dayOf(now) };
      return 'dependsOn' in route.answer
        ? await this.#answerTagged({ route, request, asker, context }, route.answer)
        : await this.#answerOnce({ route, request, asker, context }, route.answer);
    } finally {
      release();
    }
  }

  async #answerTagged(exchange: Exchange, answer: TaggedRouteAnswer): Promise<Answer> {
    const assertThere = 'cached' in answer ? answer.assertThere : undefined;
    const { request, context } = exchange;
    const understood = this.#understand(exchange, answer);
    const { effective, etag, modifiedAt, fresh } = understood;
    const matching = findMatchingEtag(request.headers?.['if-none-match'], etag);
    // The caller's own tag is repeated: it may be that of the compressed form.
    if (matching !== undefined) return notModified({ ...fresh, ETag: matching });
    const isKnown = assertThere === undefined || this.#deps.cache.has(etag);
    const isInForce = isUnchanged(request, { etag, modifiedAt, now: context.now });
    if (isInForce && isKnown) return notModified(fresh);
    await takeUnit(exchange, effective);
    if (!isInForce) {
      if ('lent' in answer) return this.#lend(exchange, answer, understood);
      return this.#answerWithBody(exchange, answer, understood);
    }
    // `*` and a date name no particular answer, so make sure that there is one (404 otherwise). The unit goes back.
    await assertThere?.(effective, context);
    return notModified(fresh);
  }

  /** A body that is read anew each time; packed it is another one, and what was read is given back at once. */
  async #lend(
    { request, context }: Exchange,
    { lent }: LentRouteAnswer,
    { effective, hit, packedHit }: EffectiveRequest,
  ): Promise<Answer> {
    const { bytes, giveBack } = await lent(effective, context);
    const mayPack = request.mayPack === true && bytes.length >= this.#deps.packFromBytes;
    if (!mayPack) return { status: 200, headers: { ...hit, 'X-Cache': 'BYPASS' }, body: bytes, giveBack };
    const body = await gzip(bytes);
    giveBack();
    return { status: 200, headers: { ...packedHit, 'X-Cache': 'BYPASS' }, body };
  }

  /** The body is kept, and its packed form beside it, so that an answer that is sent often is made and packed once. */
  #answerWithBody(
    { request, context }: Exchange,
    { cached }: CachedRouteAnswer,
    { effective, etag, hit, packedHit }: EffectiveRequest,
  ): Awaitable<Answer> {
    const { cache, packFromBytes } = this.#deps;
    return whenThere(
      cache.get(etag, () => cached(effective, context)),
      ({ body, isHit }): Awaitable<Answer> => {
        const mayPack = request.mayPack === true && body.length >= packFromBytes;
        if (!mayPack) return { status: 200, headers: isHit ? hit : missed(hit), body };
        const headers = isHit ? packedHit : missed(packedHit);
        return whenThere(
          cache.get(`gzip ${etag}`, () => gzip(body)),
          (packed) => ({ status: 200, headers, body: packed.body }),
        );
      },
    );
  }

  /**
   * Answers that are made for each request, such as signed addresses. The entity tag is the hash of the body, and the body as old as the
   * request: who asks again within a second is told that nothing changed, and never of an address that may have expired.
   */
  async #answerOnce(exchange: Exchange, { once }: OnceRouteAnswer): Promise<Answer> {
    const { route, request, context } = exchange;
    const effective = route.prepare(request, context);
    const { status, headers, body } = await once(effective, { ...context, signUrl: this.#signUrlFor(request) });
    const etag = etagOf(body);
    const all = { ...freshHeaders(route, context, { etag, modifiedAt: context.now }), ...headers };
    // A redirect is sent whatever the request says of a condition (RFC 9110 §13.2.1).
    if (status === 200 && isUnchanged(request, { etag, modifiedAt: context.now, now: context.now }))
      return notModified(all);
    await takeUnit(exchange, effective);
    return { status, headers: { ...all, 'X-Cache': 'BYPASS', 'Content-Type': JSON_TYPE }, body };
  }

  #signUrlFor({ baseUrl = '' }: DataRequest): SignUrl {
    return async (key, options) => {
      const url = await this.#deps.signUrl(key, options);
      return url.startsWith('/') ? baseUrl + url : url;
    };
  }

  /** The effective request, with the entity tag and the headers of its answer. */
  #understand(exchange: Exchange, answer: TaggedRouteAnswer): EffectiveRequest {
    const { route, request, context } = exchange;
    const { view, rights, today } = context;
    const load = () => understand(exchange, answer);
    // A wrong header belongs to this request alone, and is told together with what else is wrong.
    if (findHeaderProblems(request).length > 0) return load();
    const key = request.key ?? JSON.stringify([request.params, request.query]);
    return this.#understoodOf(route).get(`${view.version}\n${today}\n${rightsTag(rights)}\n${key}`, load);
  }

  #understoodOf(route: DataRoute): EffectiveRequests {
    const known = this.#understood.get(route);
    if (known !== undefined) return known;
    const understood = new EffectiveRequests();
    this.#understood.set(route, understood);
    return understood;
  }
}

type TaggedRouteAnswer = Extract<RouteAnswer<unknown>, { dependsOn: unknown }>;
type CachedRouteAnswer = Extract<RouteAnswer<unknown>, { cached: unknown }>;
type LentRouteAnswer = Extract<RouteAnswer<unknown>, { lent: unknown }>;
type OnceRouteAnswer = Extract<RouteAnswer<unknown>, { once: unknown }>;

interface Exchange {
  readonly route: DataRoute;
  readonly request: DataRequest;
  readonly asker: Asker;
  readonly context: RequestContext;
}

function understand({ route, request, context }: Exchange, { dependsOn }: TaggedRouteAnswer): EffectiveRequest {
  const effective = route.prepare(request, context);
  const { on, changedAt: modifiedAt } = dependsOn(effective, context);
  const etag = etagOf(JSON.stringify([VIEW_FORMAT, route.path, effective, on]));
  const fresh = freshHeaders(route, context, { etag, modifiedAt });
  const hit = { ...fresh, 'X-Cache': 'HIT', 'Content-Type': JSON_TYPE };
  const packedHit = { ...hit, ETag: etagWithEncoding(fresh.ETag, 'gzip'), 'Content-Encoding': 'gzip' };
  return { effective, etag, modifiedAt, fresh, hit, packedHit };
}

/** The headers of an answer, its body's aside: those of a 304. */
function freshHeaders(
  { cacheControl }: DataRoute,
  { view }: RequestContext,
  { etag, modifiedAt }: Pick<EffectiveRequest, 'etag' | 'modifiedAt'>,
) {
  return {
    'X-Data-As-Of': view.newest.data_as_of,
    ETag: `"${etag}"`,
    'Last-Modified': modifiedAt.toUTCString(),
    'Cache-Control': cacheControl,
    // Also on answers that are too small to compress: a cache goes by the first answer it sees.
    Vary: 'Authorization, accept-encoding',
  };
}

/** Whether the conditions of a request say that the caller has this answer (RFC 9110 §13.2.2). */
function isUnchanged(
  { headers }: DataRequest,
  { etag, modifiedAt, now }: { readonly etag: string; readonly modifiedAt: Date; readonly now: Date },
): boolean {
  const ifNoneMatch = headers?.['if-none-match'];
  if (ifNoneMatch !== undefined) return findTagUnchanged(ifNoneMatch, etag) !== undefined;
  return isUnchangedSince(headers?.['if-modified-since'], modifiedAt, now);
}

function missed(headers: Answer['headers']): Answer['headers'] {
  return { ...headers, 'X-Cache': 'MISS' };
}

function notModified(headers: Answer['headers']): Answer {
  return { status: 304, headers: { ...headers, 'X-Cache': 'BYPASS' }, body: undefined };
}

/** One unit of whoever asks, unless the route is free. */
async function takeUnit(exchange: Exchange, effective: unknown): Promise<void> {
  if (exchange.route.isFree !== true) await exchange.asker.takeUnit?.(unitFor(exchange, effective));
}

/** What an Idempotency-Key is bound to: the effective request, whatever the release (specification "Idempotency-Key"). */
function unitFor({ route, request }: Exchange, effective: unknown): UnitFor | undefined {
  const idempotencyKey = idempotencyKeyOf(request.headers);
  if (idempotencyKey === undefined) return undefined;
  return { idempotencyKey, request: sha256(JSON.stringify([route.path, effective])) };
}
