/** How responses are sent by Fastify: what a request asks goes in, status, headers and body come out. */
import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RouteResponse } from './responder.ts';
import type { SendWhole, WholeAnswer } from './whole-answers.ts';

export interface BoundRoute {
  /** The pattern below the base path. */
  readonly path: string;
  /** What the guard in front of all routes is told of it. */
  readonly config?: FastifyContextConfig;
  /** Rejects with what the request is refused with. */
  readonly respond: (request: FastifyRequest, reply: FastifyReply) => Promise<BoundResponse>;
  /** An error as the route tells it; undefined, or left out: as the error envelope. */
  readonly refuse?: (thrown: unknown, request: FastifyRequest) => WholeAnswer | undefined;
}

type BoundResponse = WholeAnswer & Pick<RouteResponse, 'giveBack'>;

/** Adds a route to the app; what its responses say as `X-Cache` is for log and metrics too. */
export function bindRoute(app: FastifyInstance, route: BoundRoute, sendWhole: SendWhole): void {
  const { path, config = {}, respond, refuse } = route;
  app.get(path, { config }, async (request, reply) => {
    try {
      const response = await respond(request, reply);
      request.cacheResult = response.headers['X-Cache'];
      // Not on 'close': a connection that broke may still be reading.
      if (response.giveBack !== undefined) reply.raw.once('finish', response.giveBack);
      return sendWhole(request, reply, response);
    } catch (error) {
      const refusal = refuse?.(error, request);
      if (refusal === undefined) throw error;
      return sendWhole(request, reply, refusal);
    }
  });
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
  }
}
