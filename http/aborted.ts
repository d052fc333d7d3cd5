import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** How a request ended that was not answered to its end. */
export interface Abort {
  /** Whether any of the answer was sent; false where it waited behind another one, or was still being made. */
  readonly hasBegun: boolean;
  /** What broke the connection, where more is known than that it ended. */
  readonly reason: string | undefined;
}

type OnAbort = (request: FastifyRequest, reply: FastifyReply, abort: Abort) => void;

/**
 * Calls back once for each request, of routes added from now on, whose connection ended before its answer was sent to its end:
 * the client hung up, or was cut off. Fastify's `onResponse` may run for such a request or not; {@link isAborted} tells.
 */
export function addAbortHook(app: FastifyInstance, onAbort: OnAbort): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.raw.once('close', () => {
      if (!isAborted(reply)) return;
      // An answer that waits has no socket yet.
      const hasBegun = reply.raw.headersSent && reply.raw.socket !== null;
      onAbort(request, reply, { hasBegun, reason: request.raw.socket.errored?.message });
    });
    done();
  });
}

/** Whether the connection ended before the answer was sent to its end. */
export function isAborted({ raw }: FastifyReply): boolean {
  return raw.destroyed && !raw.writableFinished;
}
