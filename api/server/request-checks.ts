import { METHODS } from 'node:http';
import type { FastifyContextConfig, FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import type { Awaitable } from '../../runtime/awaitable.ts';
import { assertLength } from './bodies.ts';
import { noSuchRoute } from './errors/error-response.ts';
import { type HttpError, httpError } from './errors/http-error.ts';
import { isHost } from './urls.ts';

export interface HeadLimits {
  /** Header fields of a request. */
  readonly headersMax: number;
}

/** Who may ask. */
export type Admit = (request: FastifyRequest, config: FastifyContextConfig) => Awaitable<void>;

/**
 * What every request passes before its route, whatever that is (specification "Order of checks"): the checks of its head, then
 * whoever guards the routes, then what the URL names. One hook, which waits for nothing that is there.
 */
export function addRequestChecks(
  app: FastifyInstance,
  { headersMax, admit }: HeadLimits & { readonly admit: Admit | undefined },
): void {
  app.addHook('onRequest', (request, _, done) => {
    const { bodyLimit, config } = request.routeOptions;
    assertHead(request, { headersMax });
    assertLength(request, bodyLimit);
    const isAdmitted = admit?.(request, config);
    if (isAdmitted instanceof Promise) return isAdmitted.then(() => assertRoute(request, config));
    assertRoute(request, config);
    done();
  });
}

/** Throws where the host is none, or there are more header fields than allowed. */
export function assertHead(request: FastifyRequest, { headersMax }: HeadLimits): void {
  // Their size is bounded besides.
  if (request.raw.rawHeaders.length > 2 * headersMax)
    throw httpError('headers_too_large', `A request may have ${headersMax} header fields`);
  assertHost(request);
}

/** Throws where the URL is not properly encoded (the router sees to the path), or names nothing that may be asked for. */
function assertRoute(request: FastifyRequest, config: FastifyContextConfig): void {
  if (!isProperUrl(request.url)) throw improperUrl();
  // At once, before anything is made of a body: Fastify would refuse some methods for their headers first, which tells an unknown
  // route from a hidden one.
  if (request.is404) throw noSuchRoute();
  assertSegments(request.url, config);
  if (config.isShownTo?.(request) === false) throw noSuchRoute();
}

/** RFC 9112 §3.2: one Host header, and a proper one; HTTP 1.0 knew none, and simple health checks still speak it. */
function assertHost({ host, headers, raw }: FastifyRequest): void {
  const isMissing = headers.host === undefined && headers[':authority'] === undefined;
  const isOld = raw.httpVersionMajor === 1 && raw.httpVersionMinor === 0;
  const isTwice = countHosts(raw.rawHeaders) > 1;
  if (isTwice || (isMissing ? !isOld : !isHost(host))) {
    throw httpError('bad_request', 'The request needs one Host header with a proper host');
  }
}

/** Node keeps the first Host header only, so all are counted as they came: name, value, name, value. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i];
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}

/** What a URL may hold as it is; everything else is percent-encoded (RFC 3986). */
const URL_CHARACTERS = /^[!-~]*$/;

/** True for a URL whose query is percent-encoded UTF-8, and that holds no character that has to be encoded. */
export function isProperUrl(url: string): boolean {
  const start = url.indexOf('?');
  return URL_CHARACTERS.test(url) && (start === -1 || isDecodable(url.slice(start)));
}

export function improperUrl(): HttpError {
  return httpError('bad_request', 'The URL is not properly percent-encoded UTF-8');
}

function isDecodable(text: string): boolean {
  if (!text.includes('%')) return true;
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** An id of 200 characters, each of which may take four bytes of UTF-8 and so twelve characters of a URL. */
const SEGMENT_LENGTH_MAX = 2400;

/**
 * Throws for ids beyond measure on the routes that are there. The router could do so too, but before any hook, which would tell
 * a switched-off capability from a route that never was.
 */
function assertSegments(url: string, { allow }: FastifyContextConfig): void {
  // A method that the path does not have is told first.
  if (url.length <= SEGMENT_LENGTH_MAX || allow !== undefined) return;
  if (longestSegment(url) > SEGMENT_LENGTH_MAX)
    throw httpError('uri_too_long', `A part of the path is longer than ${SEGMENT_LENGTH_MAX} characters`);
}

/**
 * True for a URL whose path is `prefix` or lies below it, as the router sees it: percent-encoding undone (`/%761/models`), an
 * absolute URL's scheme and host left out. Otherwise an unknown route could be told from one that is switched off.
 */
export function isPathBelow(prefix: string, url: string): boolean {
  const path = decodedPath(url);
  return path === prefix || path.startsWith(`${prefix}/`);
}

/** The length of the longest part between slashes. */
function longestSegment(url: string): number {
  return Math.max(
    ...decodedPath(url)
      .split('/')
      .map((segment) => segment.length),
  );
}

/** The path of a request's URL as it was sent, without the scheme and host of an absolute one. */
export function pathOf(url: string): string {
  const [path = ''] = url.replace(/^https?:\/\/[^/?#]*/i, '').split(/[?#]/, 1);
  return path;
}

/** Encoded slashes and question marks stay encoded: they are no separators. */
function decodedPath(url: string): string {
  const path = pathOf(url);
  try {
    return decodeURI(path);
  } catch {
    return path; // The router has refused it already.
  }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route is there for whoever sends a request; default: for everybody. To others it is an unknown one. */
    isShownTo?: (request: FastifyRequest) => boolean;
  }
}

/** A path and the methods that its routes answer. */
interface Path {
  readonly url: string;
  readonly methods: Set<string>;
  /** What its first route was configured with; refusals are, too, so that they ask for the same credentials. */
  readonly config: RouteOptions['config'];
}

/** Every method but CONNECT, which never reaches a route. */
const REFUSABLE = METHODS.filter((method) => method !== 'CONNECT');

/**
 * Answers HEAD like GET, without the body, on every route that is added from now on, and remembers the methods of each path.
 * What it returns is called when all routes are there: it makes each path refuse all other methods (specification "Order of
 * checks"), before anything is made of a body.
 */
export function collectMethods(app: FastifyInstance): (closing: FastifyInstance) => void {
  const paths = new Map<string, Path>();
  app.addHook('onRoute', (route) => {
    const methods = [route.method].flat();
    if (methods.includes('GET') && !methods.includes('HEAD')) methods.push('HEAD');
    // Fastify's own routes for HEAD know the body before it is compressed, so their headers differ from those of GET.
    route.method = methods;
    const pattern = route.url.replaceAll(/:\w+/g, ':');
    const path = paths.get(pattern) ?? { url: route.url, methods: new Set(), config: route.config };
    for (const method of methods) path.methods.add(method);
    paths.set(pattern, path);
  });
  return (closing) => {
    for (const method of REFUSABLE) {
      if (!closing.supportedMethods.includes(method)) closing.addHttpMethod(method);
    }
    for (const path of [...paths.values()]) refuseOthers(closing, path);
  };
}

function refuseOthers(app: FastifyInstance, { url, methods, config }: Path): void {
  const allow = [...methods].sort().join(', ');
  const method = REFUSABLE.filter((other) => !methods.has(other));
  const message = `This route answers ${allow} only`;
  app.route({
    method,
    url,
    config: { ...config, allow },
    onRequest: async () => {
      throw httpError('method_not_allowed', message, { headers: { Allow: allow } });
    },
    handler: () => undefined,
  });
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The methods of the path, where it is asked with another one. */
    allow?: string;
  }
}
