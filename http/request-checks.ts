import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isHost } from './base-url.ts';
import { noSuchRoute } from './errors/error-answer.ts';
import { type HttpError, httpError } from './errors/http-error.ts';

export interface HeadLimits {
  /** Header fields of a request. */
  readonly headersMax: number;
}

/** Refuses what no guard should have to think about; see {@link assertHead}. */
export function checkHeads(app: FastifyInstance, limits: HeadLimits): void {
  app.addHook('onRequest', async (request) => assertHead(request, limits));
}

/** Throws where the host is none, or there are more header fields than allowed. */
export function assertHead(request: FastifyRequest, { headersMax }: HeadLimits): void {
  // Their size is bounded besides.
  if (request.raw.rawHeaders.length > 2 * headersMax)
    throw httpError('headers_too_large', `A request may have ${headersMax} header fields`);
  assertHost(request);
}

/** Refuses a URL whose query is not properly encoded; the router sees to the path. */
export function checkUrls(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ raw }) => {
    if (!isProperUrl(raw.url ?? '')) throw improperUrl();
  });
}

/** RFC 9112 §3.2: one Host header, and a proper one; HTTP 1.0 knew none, and simple health checks still speak it. */
function assertHost({ host, headers, raw }: FastifyRequest): void {
  const isMissing = headers.host === undefined && headers[':authority'] === undefined;
  const isOld = raw.httpVersionMajor === 1 && raw.httpVersionMinor === 0;
  const isTwice = raw.rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === 'host').length > 1;
  if (isTwice || (isMissing ? !isOld : !isHost(host))) {
    throw httpError('bad_request', 'The request needs one Host header with a proper host');
  }
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

/**
 * Tells at once that a route is not there, before anything is made of a body: Fastify would refuse some methods for their
 * headers first, which tells an unknown route from a hidden one.
 */
export function refuseUnknownRoutes(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ is404 }) => {
    if (is404) throw noSuchRoute();
  });
}

/** An id of 200 characters, each of which may take four bytes of UTF-8 and so twelve characters of a URL. */
const SEGMENT_LENGTH_MAX = 2400;

/**
 * Refuses ids beyond measure on the routes that are there. The router could do so too, but before any hook, which would tell
 * a switched-off capability from a route that never was.
 */
export function refuseLongSegments(app: FastifyInstance): void {
  app.addHook('onRequest', async (request) => {
    const { url } = request;
    // A method that the path does not have is told first.
    if (url.length <= SEGMENT_LENGTH_MAX || request.routeOptions.config.allow !== undefined) return;
    if (longestSegment(url) > SEGMENT_LENGTH_MAX)
      throw httpError('uri_too_long', `A part of the path is longer than ${SEGMENT_LENGTH_MAX} characters`);
  });
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

/** Encoded slashes and question marks stay encoded: they are no separators. */
function decodedPath(url: string): string {
  const [path = ''] = url.replace(/^https?:\/\/[^/?#]*/i, '').split(/[?#]/, 1);
  try {
    return decodeURI(path);
  } catch {
    return path; // The router has refused it already.
  }
}
