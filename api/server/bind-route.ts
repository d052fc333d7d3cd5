import type { ServerResponse } from 'node:http';
import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Awaitable, mapAwaitable } from '../../runtime/awaitable.ts';
import { type Body, byteLengthOf, isWhole, wholeOf } from './response-body.ts';
import { fieldsOf, type ResponseHeaders } from './response-headers.ts';

export interface BoundRoute {
  readonly method?: 'GET' | 'POST';
  /** The pattern below the base path. */
  readonly path: string;
  /** Passed to the guard of all routes. */
  readonly config?: FastifyContextConfig;
  /** False: responses are never compressed, or already are; default: as the client accepts. */
  readonly compress?: false;
  /** Rejects with what the request is refused with. @param reply for observation only; respond by returning */
  readonly respond: (request: FastifyRequest, reply: FastifyReply) => Promise<WholeResponse>;
}

/**
 * Adds a route; its `X-Cache` also goes to log and metrics.
 * @param sendWhole default: through Fastify's hooks, which may add headers
 */
export function bindRoute(app: FastifyInstance, route: BoundRoute, sendWhole: SendWhole = sendThroughHooks): void {
  const { method = 'GET', path: url, config = {}, compress, respond } = route;
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    try {
      const response = await respond(request, reply);
      request.cacheResult = response.headers['X-Cache'];
      return sendWhole(request, reply, response);
    } catch (error) {
      if (request.failureHeaders !== undefined) reply.headers(request.failureHeaders);
      throw error;
    }
  };
  app.route({ method, url, config, handler, ...(compress === false && { compress }) });
}

/** `X-Cache` of a sent response; undefined if it isn't cacheable. */
export function cacheResultOf(request: FastifyRequest, reply: FastifyReply): string | undefined {
  const header = reply.getHeader('x-cache') ?? request.cacheResult;
  return typeof header === 'string' ? header : undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** `X-Cache` of the response. */
    cacheResult?: string | undefined;
    /** Headers of an error response. */
    failureHeaders?: ResponseHeaders | undefined;
  }
}

/** A response without streaming. */
export interface WholeResponse {
  readonly status: number;
  /** Reuse one object per set of headers: it is serialized once. */
  readonly headers: ResponseHeaders;
  /** Undefined: none. */
  readonly body: Body | undefined;
}

export interface WholeResponseDeps {
  /** Defaults for all responses. */
  readonly headers: ResponseHeaders;
  /** Additional headers for this request and status. Never rejects. */
  readonly headersOf: ((request: FastifyRequest, status: number) => Awaitable<ResponseHeaders>) | undefined;
  /** Smallest body to compress, in bytes. */
  readonly compressFromBytes: number;
}

/** Resolves to the body that Fastify still has to send, if any. */
export type SendWhole = (
  request: FastifyRequest,
  reply: FastifyReply,
  response: WholeResponse,
) => Awaitable<Buffer | string | undefined>;

/**
 * Sends complete responses directly. Fastify checks each header three times and the body twice, which takes longer than
 * finding a cached response. Responses to compress still go through Fastify, whose hooks set the same headers.
 */
export function wholeResponseSender({ headers: usual, headersOf, compressFromBytes }: WholeResponseDeps): SendWhole {
  const known = new WeakMap<ResponseHeaders, string[]>();
  const knownFieldsOf = (headers: ResponseHeaders) => {
    const fields = known.get(headers);
    if (fields !== undefined) return fields;
    const found = fieldsOf(withUsual(headers, usual));
    known.set(headers, found);
    return found;
  };
  return (request, reply, response) => {
    const { status, headers, body } = response;
    if (mayBeCompressed(request, response, compressFromBytes)) return sendThroughHooks(request, reply, response);
    return mapAwaitable(headersOf?.(request, status) ?? NONE, (own) => {
      const fields = knownFieldsOf(headers).concat('x-request-id', request.id, fieldsOf(own));
      if (body !== undefined) fields.push('content-length', String(byteLengthOf(body)));
      reply.raw.writeHead(status, fields);
      reply.hijack(); // Tells Fastify not to respond.
      sendBody(reply.raw, body);
      return undefined;
    });
  };
}

const sendThroughHooks: SendWhole = (_, reply, { status, headers, body }) => {
  reply.code(status).headers(headers);
  return body === undefined ? undefined : wholeOf(body);
};

function sendBody(response: ServerResponse, body: Body | undefined): void {
  if (body === undefined || isWhole(body)) return void response.end(body);
  response.cork();
  for (const piece of body) response.write(piece);
  response.end();
}

const NONE: ResponseHeaders = {};

function withUsual(headers: ResponseHeaders, usual: ResponseHeaders): ResponseHeaders {
  const own = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const others = Object.entries(usual).filter(([name]) => !own.has(name.toLowerCase()));
  return { ...Object.fromEntries(others), ...headers };
}

function mayBeCompressed(
  { headers: requestHeaders }: FastifyRequest,
  { headers, body }: WholeResponse,
  bytesMin: number,
): boolean {
  if (body === undefined || requestHeaders['accept-encoding'] === undefined) return false;
  return headers['Content-Encoding'] === undefined && byteLengthOf(body) >= bytesMin;
}
