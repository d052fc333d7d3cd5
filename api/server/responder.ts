/**
 * Handles every route of every surface (specification "Order of checks"):
 * validation (422) → effective request → conditional (304) → quota (429) → cache → query.
 * A response depends only on the effective request and the route's declared dependencies, so the ETag hashes these two:
 * a match costs no query and outlasts releases that don't affect it (decision 0030). Without declared dependencies it
 * hashes the body.
 */
import { LRUCache } from 'lru-cache';
import { type Awaitable, mapAwaitable } from '../../runtime/awaitable.ts';
import { bytesOf, gzipPieces, plainPieces } from '../../runtime/gzip-pieces.ts';
import { etagOf, type Forms, findMatchingEtag, findTagUnchanged, formsOf, isUnchanged } from './conditional.ts';
import type { Body } from './response-body.ts';
import { type CachedBody, gzip, type ResponseCache } from './response-cache.ts';
import type { ResponseHeaders } from './response-headers.ts';
import type {
  CachedHandler,
  Content,
  GivenRequest,
  LargeHandler,
  ParsedRequest,
  Route,
  UncachedHandler,
} from './route.ts';

export interface ResponderDeps<Context, R extends Route<Context>> {
  readonly cache: ResponseCache;
  /** Smallest body to compress, in bytes. */
  readonly compressFromBytes: number;
  /** Headers of every form of a response, except the tag. */
  readonly headersOf: (route: R, context: Context) => ResponseHeaders;
  /** Changes when equal dependencies produce different bodies. */
  readonly format?: unknown;
  /** Queues the making of a body; default: immediate. */
  readonly enqueue?: (make: () => Promise<Content>) => Promise<Content>;
}

export interface Exchange<Context> {
  readonly request: GivenRequest;
  readonly context: Context;
  readonly now: Date;
  /** What else the effective request depends on, and bodies without declared dependencies. */
  readonly scope: string;
  /** Cache key of the parsed request within the scope: equal keys mean equal parameters. Undefined: not cached. */
  readonly key: string | undefined;
  /** Whether the body may be compressed with gzip. */
  readonly mayPack: boolean;
  /** Charges the response before it is made; rejects if not possible. Default: free. */
  readonly charge?: ((effective: unknown) => Promise<void>) | undefined;
}

export interface RouteResponse {
  readonly status: 200 | 302 | 304;
  readonly headers: ResponseHeaders;
  /** In UTF-8, compressed if the headers say so; undefined if the caller already has it. */
  readonly body: Body | undefined;
}

/** `tagged` is undefined if only the body determines the tag. */
interface TaggedRequest<Context> {
  readonly parsed: ParsedRequest<Context>;
  readonly tagged: (Forms & { readonly modifiedAt: Date }) | undefined;
}

/** Total key length of cached requests per route, in characters. */
const KEY_LENGTH_MAX = 4 * 1024 * 1024;
/** Approximate cost of an entry besides its key. */
const ENTRY_LENGTH = 1000;

/** Responds to the routes of a surface, independent of the server. */
export class Responder<Context, R extends Route<Context>> {
  readonly #deps: ResponderDeps<Context, R>;
  /** Parsing and hashing again would take longer than sending a cached body. */
  readonly #requests = new Map<R, LRUCache<string, TaggedRequest<Context>>>();
  /** Keyed by the cached body, so that both are dropped together. */
  readonly #formsOfBodies = new WeakMap<Buffer, Forms>();

  constructor(deps: ResponderDeps<Context, R>) {
    this.#deps = deps;
  }

  /** Throws or rejects with HttpError, RequestInvalid or AppError. */
  respond(route: R, exchange: Exchange<Context>): Promise<RouteResponse> {
    const { parsed, tagged } = this.#cachedRequest(route, exchange);
    if ('uncached' in parsed) return this.#respondUncached(route, parsed, exchange);
    if (tagged !== undefined) return this.#respondTagged(parsed, tagged, exchange);
    if ('cached' in parsed) return this.#respondByBody(route, parsed, exchange);
    throw new Error(`${route.path} has a large body without dependencies`);
  }

  async #respondTagged(
    parsed: ParsedRequest<Context> & (CachedHandler<Context> | LargeHandler<Context>),
    tagged: Forms & { readonly modifiedAt: Date },
    exchange: Exchange<Context>,
  ): Promise<RouteResponse> {
    const { request, context, now } = exchange;
    const { etag, unchanged, modifiedAt } = tagged;
    const assertExists = 'cached' in parsed ? parsed.assertExists : undefined;
    const matching = findMatchingEtag(request.headers?.['if-none-match'], etag);
    // Repeats the caller's tag, which may be of the compressed form.
    if (matching !== undefined) return notModified({ ...unchanged, ETag: matching });
    const isKnown = assertExists === undefined || this.#deps.cache.has(etag);
    const isInForce = isUnchanged(request, { etag, modifiedAt, now });
    if (isInForce && isKnown) return notModified(unchanged);
    await exchange.charge?.(parsed.effective);
    if (!isInForce) {
      if ('large' in parsed) return this.#respondLarge(parsed, tagged, exchange);
      return mapAwaitable(this.#load(etag, parsed, context), (found) => this.#inForm(etag, found, tagged, exchange));
    }
    // `*` and dates name no specific response, so check that one exists (404 otherwise). The charge is refunded.
    await assertExists?.(context);
    return notModified(unchanged);
  }

  async #respondLarge(
    { large }: LargeHandler<Context>,
    { plain, packed }: Forms,
    { context, mayPack }: Exchange<Context>,
  ): Promise<RouteResponse> {
    const pieces = await large(context);
    if (!mayPack || bytesOf(pieces) < this.#deps.compressFromBytes)
      return { status: 200, headers: withCacheState(plain, 'BYPASS'), body: plainPieces(pieces) };
    return { status: 200, headers: withCacheState(packed, 'BYPASS'), body: await gzipPieces(pieces) };
  }

  /** The tag is the body's hash, so the body is made first. */
  async #respondByBody(
    route: R,
    parsed: ParsedRequest<Context> & CachedHandler<Context>,
    exchange: Exchange<Context>,
  ): Promise<RouteResponse> {
    const { request, context, scope } = exchange;
    const key = `${scope}\n${route.path}\n${JSON.stringify(parsed.effective)}`;
    const found = await this.#load(key, parsed, context);
    const forms = this.#formsOfBody(found.body, () => this.#headersOf(route, parsed, context));
    const matching = findTagUnchanged(request.headers?.['if-none-match'], forms.etag);
    if (matching === undefined) return this.#inForm(key, found, forms, exchange);
    const { unchanged } = forms;
    const headers = matching === unchanged['ETag'] ? unchanged : { ...unchanged, ETag: matching };
    return { status: 304, headers: found.isHit ? headers : withCacheState(headers, 'MISS'), body: undefined };
  }

  /** Caches the body and its compressed form. */
  #inForm(
    key: string,
    { body, headers: own, isHit }: CachedBody,
    { plain, packed }: Forms,
    { mayPack }: Exchange<Context>,
  ): Awaitable<RouteResponse> {
    const isPacked = mayPack && body.length >= this.#deps.compressFromBytes;
    const form = isPacked ? packed : plain;
    const formHeaders = own === undefined ? form : { ...form, ...own };
    const headers = isHit ? formHeaders : withCacheState(formHeaders, 'MISS');
    if (!isPacked) return { status: 200, headers, body };
    return mapAwaitable(
      this.#deps.cache.get(`gzip ${key}`, () => gzip(body)),
      (small) => ({ status: 200, headers, body: small.body }),
    );
  }

  /**
   * The tag hashes the body and counts as modified now: a repeated request within a second gets 304, never an expired
   * address.
   */
  async #respondUncached(
    route: R,
    { effective, uncached: once }: ParsedRequest<Context> & UncachedHandler<Context>,
    { request, context, now, charge }: Exchange<Context>,
  ): Promise<RouteResponse> {
    const { status, headers, body } = await once(context);
    const { etag, unchanged, plain } = formsOf(etagOf(body), this.#deps.headersOf(route, context), now);
    // Redirects ignore conditions (RFC 9110 §13.2.1).
    if (status === 200 && isUnchanged(request, { etag, modifiedAt: now, now }))
      return notModified({ ...unchanged, ...headers });
    await charge?.(effective);
    return { status, headers: withCacheState({ ...plain, ...headers }, 'BYPASS'), body };
  }

  #load(key: string, { cached }: CachedHandler<Context>, context: Context): Awaitable<CachedBody> {
    const { cache, enqueue } = this.#deps;
    return cache.get(key, () => (enqueue === undefined ? cached(context) : enqueue(() => cached(context))));
  }

  #headersOf(route: R, { headers }: ParsedRequest<Context>, context: Context): ResponseHeaders {
    const usual = this.#deps.headersOf(route, context);
    return headers === undefined ? usual : { ...usual, ...headers(context) };
  }

  #formsOfBody(body: Buffer, headers: () => ResponseHeaders): Forms {
    const known = this.#formsOfBodies.get(body);
    if (known !== undefined) return known;
    const forms = formsOf(etagOf(body), headers());
    this.#formsOfBodies.set(body, forms);
    return forms;
  }

  #cachedRequest(route: R, exchange: Exchange<Context>): TaggedRequest<Context> {
    const { scope, key } = exchange;
    if (key === undefined) return this.#readRequest(route, exchange);
    const cachedRequests = this.#requestCacheOf(route);
    const known = cachedRequests.get(`${scope}\n${key}`);
    if (known !== undefined) return known;
    const requests = this.#readRequest(route, exchange);
    cachedRequests.set(`${scope}\n${key}`, requests);
    return requests;
  }

  #readRequest(route: R, { request, context }: Exchange<Context>): TaggedRequest<Context> {
    const parsed = route.read(request, context);
    if (!('dependsOn' in parsed) || parsed.dependsOn === undefined) return { parsed, tagged: undefined };
    const { on, changedAt: modifiedAt } = parsed.dependsOn(context);
    const etag = etagOf(JSON.stringify([this.#deps.format, route.path, parsed.effective, on]));
    return { parsed, tagged: { ...formsOf(etag, this.#headersOf(route, parsed, context), modifiedAt), modifiedAt } };
  }

  #requestCacheOf(route: R): LRUCache<string, TaggedRequest<Context>> {
    const known = this.#requests.get(route);
    if (known !== undefined) return known;
    const cachedRequests = new LRUCache<string, TaggedRequest<Context>>({
      maxSize: KEY_LENGTH_MAX,
      sizeCalculation: (_, key) => key.length + ENTRY_LENGTH,
    });
    this.#requests.set(route, cachedRequests);
    return cachedRequests;
  }
}

function withCacheState(headers: ResponseHeaders, state: 'MISS' | 'BYPASS'): ResponseHeaders {
  return { ...headers, 'X-Cache': state };
}

function notModified(headers: ResponseHeaders): RouteResponse {
  return { status: 304, headers: withCacheState(headers, 'BYPASS'), body: undefined };
}
