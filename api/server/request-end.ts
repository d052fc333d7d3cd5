import type { FastifyReply, FastifyRequest } from 'fastify';

/** How a request ended that was not answered to its end. */
export interface Abort {
  /** Whether any of the answer was sent; false where it waited behind another one, or was still being made. */
  readonly hasBegun: boolean;
  /** What broke the connection, where more is known than that it ended. */
  readonly reason: string | undefined;
}

/**
 * Calls back once, when nothing more will be sent: without an abort where the answer was sent to its end, else with what is
 * known of it, since the client hung up or was cut off.
 */
export function watchEnd(
  request: FastifyRequest,
  reply: FastifyReply,
  onEnd: (abort: Abort | undefined) => void,
): void {
  const { raw } = reply;
  raw.on('close', () => {
    if (raw.writableFinished) onEnd(undefined);
    // An answer that waits has no socket yet.
    else onEnd({ hasBegun: raw.headersSent && raw.socket !== null, reason: request.raw.socket.errored?.message });
  });
}
