/** How responses are sent by Fastify: what a request asks goes in, status, headers and body come out. */
import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Awaitable, mapAwaitable } from '../../runtime/awaitable.ts';
import type { RouteResponse } from './responder.ts';
import { fieldsOf, type ResponseHeaders } from './response-headers.ts';

export interface BoundRoute {
  /** Default: GET. */
  readonly method?: 'GET' | 'POST';
  /** The pattern below the base path. */
  readonly path: string;
  /** What the guard in front of all routes is told of it. */
  readonly config?: FastifyContextConfig;
  /** False where no response is to be compressed, or comes so; default: each is for whoever asks for it. */
  readonly compress?: false;
  /** Rejects with what the request is refused with. @param reply only to be watched: what is sent is returned */
  readonly respond: (request: FastifyRequest, reply: FastifyReply) => Promise<BoundResponse>;
  /** An error as the route tells it; undefined, or left out: as the error envelope. */
  readonly refuse?: (thrown: unknown, request: FastifyRequest) => WholeResponse | undefined;
}

type BoundResponse = WholeResponse & Pick<RouteResponse, 'giveBack'>;

/**
 * Adds a route to the app; what its responses say as `X-Cache` is for log and metrics too.
 *
 * @param sendWhole default: through the hooks of the app, which may add to all of its responses
 */
export function bindRoute(app: FastifyInstance, route: BoundRoute, sendWhole: SendWhole = sendThroughHooks): void {
  const { method = 'GET', path: url, config = {}, compress, respond, refuse } = route;
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    try {
      const response = await respond(request, reply);
      request.cacheResult = response.headers['X-Cache'];
      // Not on 'close': a connection that broke may still be reading.
      if (response.giveBack !== undefined) reply.raw.once('finish', response.giveBack);
      return sendWhole(request, reply, response);
    } catch (error) {
      const refusal = refuse?.(error, request);
      if (refusal !== undefined) return sendWhole(request, reply, refusal);
      if (request.failureHeaders !== undefined) reply.headers(request.failureHeaders);
      throw error;
    }
  };
  app.route({ method, url, config, handler, ...(compress === false && { compress }) });
}

/** What an answer that was sent said as `X-Cache`; undefined where it is none that is kept. */
export function cacheResultOf(request: FastifyRequest, reply: FastifyReply): string | undefined {
  const told = reply.getHeader('x-cache') ?? request.cacheResult;
  return typeof told === 'string' ? told : undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** `X-Cache` of a response, once there is one. */
    cacheResult?: string | undefined;
    /** What the answer has where it is an error, once it is known. */
    failureHeaders?: ResponseHeaders | undefined;
  }
}

/** An answer that is there as a whole. */
export interface WholeResponse {
  readonly status: number;
  /** Where the same object comes again, it is looked at once. */
  readonly headers: ResponseHeaders;
  /** Text in UTF-8; undefined: none. */
  readonly body: Buffer | string | undefined;
}

export interface WholeResponseDeps {
  /** What every answer has that doesn't say otherwise. */
  readonly headers: ResponseHeaders;
  /** What the answer to this request has besides, now that its status is known. Never rejects. */
  readonly headersOf: ((request: FastifyRequest, status: number) => Awaitable<ResponseHeaders>) | undefined;
  /** Smallest body that is compressed when asked for, in bytes. */
  readonly compressFromBytes: number;
}

/** Sends an answer; resolves to what is left to Fastify to send, undefined where nothing is. */
export type SendWhole = (
  request: FastifyRequest,
  reply: FastifyReply,
  answer: WholeResponse,
) => Awaitable<WholeResponse['body']>;

/**
 * Sends answers that are whole in one go. Fastify would look at each header three times and at the body twice, which takes longer
 * than finding an answer that is kept. What is still to be compressed for this client is left to Fastify, and gets the same
 * headers from its hooks.
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
  return (request, reply, answer) => {
    const { status, headers, body } = answer;
    if (mayBeCompressed(request, answer, compressFromBytes)) return sendThroughHooks(request, reply, answer);
    return mapAwaitable(headersOf?.(request, status) ?? NONE, (own) => {
      const fields = knownFieldsOf(headers).concat('x-request-id', request.id, fieldsOf(own));
      if (body !== undefined) fields.push('content-length', String(Buffer.byteLength(body)));
      reply.raw.writeHead(status, fields);
      reply.hijack(); // Fastify waits for no answer any more, and looks at none.
      reply.raw.end(body);
      return undefined;
    });
  };
}

const sendThroughHooks: SendWhole = (_, reply, { status, headers, body }) => {
  reply.code(status).headers(headers);
  return body;
};

const NONE: ResponseHeaders = {};

function withUsual(headers: ResponseHeaders, usual: ResponseHeaders): ResponseHeaders {
  const own = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const others = Object.entries(usual).filter(([name]) => !own.has(name.toLowerCase()));
  return { ...Object.fromEntries(others), ...headers };
}

function mayBeCompressed(
  { headers: asked }: FastifyRequest,
  { headers, body }: WholeResponse,
  bytesMin: number,
): boolean {
  if (body === undefined || asked['accept-encoding'] === undefined) return false;
  return headers['Content-Encoding'] === undefined && Buffer.byteLength(body) >= bytesMin;
}
