/**
 * How every route is answered, whichever surface serves it (specification "Order of checks"):
 *
 * validation (422) → the effective request → conditional (304) → quota (429) → cache → query.
 *
 * A response depends on nothing but the effective request and on what its route names as its dependencies. So the ETag is the
 * hash of the two: a match costs no query, and it outlasts every release that changes nothing of it (decision 0030). Where a route
 * names none, the ETag is the hash of the body.
 */
import { LRUCache } from 'lru-cache';
import { type Awaitable, mapAwaitable } from '../../runtime/awaitable.ts';
import { etagOf, type Forms, findMatchingEtag, findTagUnchanged, formsOf, isUnchanged } from './conditional.ts';
import { type CachedBody, gzip, type ResponseCache } from './response-cache.ts';
import type { ResponseHeaders } from './response-headers.ts';
import type { BorrowedHandler, CachedHandler, GivenRequest, OnceHandler, ParsedRequest, Route } from './route.ts';

export interface ResponderDeps<Context, R extends Route<Context>> {
  readonly cache: ResponseCache;
  /** Smallest body that is packed where the request says that it may be, in bytes. */
  readonly compressFromBytes: number;
  /** What every form of a response has, but for its tag. */
  readonly headersOf: (route: R, context: Context) => ResponseHeaders;
  /** Changes when the same dependencies give other bodies. */
  readonly format?: unknown;
  /** Makes a body in its turn; default: at once. */
  readonly inTurn?: (make: () => Promise<string | Buffer>) => Promise<string | Buffer>;
}

/** One request on its way. */
export interface Exchange<Context> {
  readonly request: GivenRequest;
  readonly context: Context;
  readonly now: Date;
  /** All that the effective request depends on beside the parameters, and a body whose route names no dependencies. */
  readonly scope: string;
  /** Under which the request is remembered within its scope: equal keys must mean equal parameters. Undefined: it is not. */
  readonly key: string | undefined;
  /** Whether the body may come in gzip, which the headers tell then. */
  readonly mayPack: boolean;
  /** Takes what the response costs before it is made; rejects where that can't be. Default: it costs nothing. */
  readonly charge?: ((effective: unknown) => Promise<void>) | undefined;
}

/** A response, to be sent or shown by whoever asked for it. */
export interface RouteResponse {
  readonly status: 200 | 302 | 304;
  readonly headers: ResponseHeaders;
  /** In UTF-8, packed where the headers say so; undefined where the caller has it already. */
  readonly body: Buffer | string | undefined;
  /** To be called when the body was sent: its memory may be used again then. Where nobody does, it is collected as any other. */
  readonly giveBack?: () => void;
}

/** What a request turned out to ask for, and what its response says about itself; undefined where only the body tells. */
interface Understood<Context> {
  readonly asked: ParsedRequest<Context>;
  readonly tagged: (Forms & { readonly modifiedAt: Date }) | undefined;
}

/** Characters of what requests to one route depend on, all remembered ones together. Smaller: more are parsed and hashed again. */
const KEY_LENGTH_MAX = 4 * 1024 * 1024;
/** What one of them costs beside its key, about. */
const ENTRY_LENGTH = 1000;

/** Answers the routes of a surface. Knows no server: a binder hands it what it needs of a request. */
export class Responder<Context, R extends Route<Context>> {
  readonly #deps: ResponderDeps<Context, R>;
  /** Parsing, checking and hashing a request again takes more time than sending a body that is at hand. */
  readonly #understood = new Map<R, LRUCache<string, Understood<Context>>>();
  /** By the very body that is kept, so that what is said of it goes with it. */
  readonly #formsOfBodies = new WeakMap<Buffer, Forms>();

  constructor(deps: ResponderDeps<Context, R>) {
    this.#deps = deps;
  }

  /** Throws or rejects with HttpError, RequestInvalid or AppError where there is no response. */
  respond(route: R, exchange: Exchange<Context>): Promise<RouteResponse> {
    const { asked, tagged } = this.#understand(route, exchange);
    if ('once' in asked) return this.#respondOnce(route, asked, exchange);
    if (tagged !== undefined) return this.#respondTagged(asked, tagged, exchange);
    if ('cached' in asked) return this.#respondByBody(route, asked, exchange);
    throw new Error(`${route.path} lends a body that depends on nothing`);
  }

  async #respondTagged(
    asked: ParsedRequest<Context> & (CachedHandler<Context> | BorrowedHandler<Context>),
    tagged: Forms & { readonly modifiedAt: Date },
    exchange: Exchange<Context>,
  ): Promise<RouteResponse> {
    const { request, context, now } = exchange;
    const { etag, unchanged, modifiedAt } = tagged;
    const assertThere = 'cached' in asked ? asked.assertThere : undefined;
    const matching = findMatchingEtag(request.headers?.['if-none-match'], etag);
    // The caller's own tag is repeated: it may be that of the compressed form.
    if (matching !== undefined) return notModified({ ...unchanged, ETag: matching });
    const isKnown = assertThere === undefined || this.#deps.cache.has(etag);
    const isInForce = isUnchanged(request, { etag, modifiedAt, now });
    if (isInForce && isKnown) return notModified(unchanged);
    await exchange.charge?.(asked.effective);
    if (!isInForce) {
      if ('borrowed' in asked) return this.#lend(asked, tagged, exchange);
      return mapAwaitable(this.#load(etag, asked, context), (found) => this.#inForm(etag, found, tagged, exchange));
    }
    // `*` and a date name no particular response, so make sure that there is one (404 otherwise). The charge goes back.
    await assertThere?.(context);
    return notModified(unchanged);
  }

  /** A body that is read anew each time; packed it is another one, and what was read is given back at once. */
  async #lend(
    { borrowed }: BorrowedHandler<Context>,
    { plain, packed }: Forms,
    { context, mayPack }: Exchange<Context>,
  ): Promise<RouteResponse> {
    const { bytes, release } = await borrowed(context);
    if (!mayPack || bytes.length < this.#deps.compressFromBytes)
      return { status: 200, headers: withCacheState(plain, 'BYPASS'), body: bytes, giveBack: release };
    const body = await gzip(bytes);
    release();
    return { status: 200, headers: withCacheState(packed, 'BYPASS'), body };
  }

  /** The tag is that of the body, which is made first: it names no dependencies that could be hashed instead. */
  async #respondByBody(
    route: R,
    asked: ParsedRequest<Context> & CachedHandler<Context>,
    exchange: Exchange<Context>,
  ): Promise<RouteResponse> {
    const { request, context, scope } = exchange;
    const key = `${scope}\n${route.path}\n${JSON.stringify(asked.effective)}`;
    const found = await this.#load(key, asked, context);
    const forms = this.#formsOfBody(route, found.body, context);
    const matching = findTagUnchanged(request.headers?.['if-none-match'], forms.etag);
    if (matching === undefined) return this.#inForm(key, found, forms, exchange);
    const { unchanged } = forms;
    const headers = matching === unchanged['ETag'] ? unchanged : { ...unchanged, ETag: matching };
    return { status: 304, headers: found.isHit ? headers : withCacheState(headers, 'MISS'), body: undefined };
  }

  /** A body is kept, and its packed form beside it, so that a response that is sent often is made and packed once. */
  #inForm(
    key: string,
    { body, isHit }: CachedBody,
    { plain, packed }: Forms,
    { mayPack }: Exchange<Context>,
  ): Awaitable<RouteResponse> {
    const isPacked = mayPack && body.length >= this.#deps.compressFromBytes;
    const kept = isPacked ? packed : plain;
    const headers = isHit ? kept : withCacheState(kept, 'MISS');
    if (!isPacked) return { status: 200, headers, body };
    return mapAwaitable(
      this.#deps.cache.get(`gzip ${key}`, () => gzip(body)),
      (small) => ({ status: 200, headers, body: small.body }),
    );
  }

  /**
   * The entity tag is the hash of the body, and the body as old as the request: who asks again within a second is told that nothing
   * changed, and never of an address that may have expired.
   */
  async #respondOnce(
    route: R,
    { effective, once }: ParsedRequest<Context> & OnceHandler<Context>,
    { request, context, now, charge }: Exchange<Context>,
  ): Promise<RouteResponse> {
    const { status, headers, body } = await once(context);
    const { etag, unchanged, plain } = formsOf(etagOf(body), this.#deps.headersOf(route, context), now);
    // A redirect is sent whatever the request says of a condition (RFC 9110 §13.2.1).
    if (status === 200 && isUnchanged(request, { etag, modifiedAt: now, now }))
      return notModified({ ...unchanged, ...headers });
    await charge?.(effective);
    return { status, headers: withCacheState({ ...plain, ...headers }, 'BYPASS'), body };
  }

  #load(key: string, { cached }: CachedHandler<Context>, context: Context): Awaitable<CachedBody> {
    const { cache, inTurn } = this.#deps;
    return cache.get(key, () => (inTurn === undefined ? cached(context) : inTurn(() => cached(context))));
  }

  #formsOfBody(route: R, body: Buffer, context: Context): Forms {
    const known = this.#formsOfBodies.get(body);
    if (known !== undefined) return known;
    const forms = formsOf(etagOf(body), this.#deps.headersOf(route, context));
    this.#formsOfBodies.set(body, forms);
    return forms;
  }

  #understand(route: R, exchange: Exchange<Context>): Understood<Context> {
    const { scope, key } = exchange;
    if (key === undefined) return this.#readRequest(route, exchange);
    const remembered = this.#rememberedOf(route);
    const known = remembered.get(`${scope}\n${key}`);
    if (known !== undefined) return known;
    const understood = this.#readRequest(route, exchange);
    remembered.set(`${scope}\n${key}`, understood);
    return understood;
  }

  #readRequest(route: R, { request, context }: Exchange<Context>): Understood<Context> {
    const asked = route.read(request, context);
    if (!('dependsOn' in asked) || asked.dependsOn === undefined) return { asked, tagged: undefined };
    const { on, changedAt: modifiedAt } = asked.dependsOn(context);
    const etag = etagOf(JSON.stringify([this.#deps.format, route.path, asked.effective, on]));
    return { asked, tagged: { ...formsOf(etag, this.#deps.headersOf(route, context), modifiedAt), modifiedAt } };
  }

  #rememberedOf(route: R): LRUCache<string, Understood<Context>> {
    const known = this.#understood.get(route);
    if (known !== undefined) return known;
    const remembered = new LRUCache<string, Understood<Context>>({
      maxSize: KEY_LENGTH_MAX,
      sizeCalculation: (_, key) => key.length + ENTRY_LENGTH,
    });
    this.#understood.set(route, remembered);
    return remembered;
  }
}

function withCacheState(headers: ResponseHeaders, state: 'MISS' | 'BYPASS'): ResponseHeaders {
  return { ...headers, 'X-Cache': state };
}

function notModified(headers: ResponseHeaders): RouteResponse {
  return { status: 304, headers: withCacheState(headers, 'BYPASS'), body: undefined };
}
