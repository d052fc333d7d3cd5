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

/** Authorizes a request. */
export type Admit = (request: FastifyRequest, config: FastifyContextConfig) => Awaitable<void>;

/**
 * Checks before every route (specification "Order of checks"): the head, then the guard, then the URL. One hook that
 * runs synchronously where possible.
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

/** Throws for an invalid host or too many header fields. */
export function assertHead(request: FastifyRequest, { headersMax }: HeadLimits): void {
  // Their size is limited by Node.
  if (request.raw.rawHeaders.length > 2 * headersMax)
    throw httpError('headers_too_large', `The request has more than ${headersMax} header fields`);
  assertHost(request);
}

/** The router checks the encoding of the path. */
function assertRoute(request: FastifyRequest, config: FastifyContextConfig): void {
  if (!isProperUrl(request.url)) throw improperUrl();
  // Before the body is handled: Fastify would refuse some methods by their headers, which would distinguish unknown
  // routes from hidden ones.
  if (request.is404) throw noSuchRoute();
  assertSegments(request.url, config);
  if (config.isVisibleTo?.(request) === false) throw noSuchRoute();
}

/** RFC 9112 §3.2: one valid Host header; optional for HTTP 1.0, which simple health checks use. */
function assertHost({ host, headers, raw }: FastifyRequest): void {
  const isMissing = headers.host === undefined && headers[':authority'] === undefined;
  const isOld = raw.httpVersionMajor === 1 && raw.httpVersionMinor === 0;
  const isTwice = countHosts(raw.rawHeaders) > 1;
  if (isTwice || (isMissing ? !isOld : !isHost(host))) {
    throw httpError('bad_request', 'The request needs exactly one Host header with a valid host');
  }
}

/** Node keeps only the first Host header, so the raw pairs are counted. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i];
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}

/** Unencoded characters of a URL (RFC 3986). */
const URL_CHARACTERS = /^[!-~]*$/;

/** Whether all characters are allowed and the query is percent-encoded UTF-8. */
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

/** An id of 200 characters of 4 bytes, 12 characters each in a URL. */
const SEGMENT_LENGTH_MAX = 2400;

/**
 * Throws for too long ids. The router would check them before any hook, which would distinguish disabled capabilities
 * from unknown routes.
 */
function assertSegments(url: string, { allow }: FastifyContextConfig): void {
  // The method error takes precedence.
  if (url.length <= SEGMENT_LENGTH_MAX || allow !== undefined) return;
  if (longestSegment(url) > SEGMENT_LENGTH_MAX)
    throw httpError('uri_too_long', `A part of the path is longer than ${SEGMENT_LENGTH_MAX} characters`);
}

/**
 * Whether a URL's path is `prefix` or below it, decoded as the router does (`/%761/models`, absolute URLs), so that
 * unknown and disabled routes can't be distinguished.
 */
export function isPathBelow(prefix: string, url: string): boolean {
  const path = decodedPath(url);
  return path === prefix || path.startsWith(`${prefix}/`);
}

function longestSegment(url: string): number {
  return Math.max(
    ...decodedPath(url)
      .split('/')
      .map((segment) => segment.length),
  );
}

/** The raw path, without scheme and host. */
export function pathOf(url: string): string {
  const [path = ''] = url.replace(/^https?:\/\/[^/?#]*/i, '').split(/[?#]/, 1);
  return path;
}

/** Encoded slashes and question marks stay: they don't separate. */
function decodedPath(url: string): string {
  const path = pathOf(url);
  try {
    return decodeURI(path);
  } catch {
    return path; // The router has already refused it.
  }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route exists for this request; default: yes. */
    isVisibleTo?: (request: FastifyRequest) => boolean;
  }
}

interface Path {
  readonly url: string;
  readonly methods: Set<string>;
  /** Refusals share the first route's config, so that they require the same credentials. */
  readonly config: RouteOptions['config'];
}

/** CONNECT never reaches a route. */
const REFUSABLE = METHODS.filter((method) => method !== 'CONNECT');

/**
 * Adds HEAD to every GET route and collects the methods of each path. Call the result after all routes are added: it
 * makes paths refuse other methods (specification "Order of checks") before bodies are handled.
 */
export function collectMethods(app: FastifyInstance): (closing: FastifyInstance) => void {
  const paths = new Map<string, Path>();
  app.addHook('onRoute', (route) => {
    const methods = [route.method].flat();
    if (methods.includes('GET') && !methods.includes('HEAD')) methods.push('HEAD');
    // The HEAD routes of Fastify see the uncompressed body, so their headers differ from GET.
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
  const message = `This route supports ${allow} only`;
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
    /** Allowed methods, on routes that refuse all others. */
    allow?: string;
  }
}
